"""Files: reading ARFF with its labels, and writing it again with new rows."""

from lsdmlo_cli.formats.append import copy
from lsdmlo_cli.formats.files import STREAM, Source, Target, stem
from lsdmlo_cli.formats.labels import label_file_for
from lsdmlo_cli.formats.new_rows import RowWriter
from lsdmlo_cli.formats.read import Arff, read

__all__ = ["STREAM", "Arff", "RowWriter", "Source", "Target", "copy", "label_file_for", "read", "stem"]
