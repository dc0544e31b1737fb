"""Files: reading ARFF with its labels, and writing it again with new rows."""

from lsdmlo_cli.formats.arff.copy import copy
from lsdmlo_cli.formats.arff.new_rows import RowWriter
from lsdmlo_cli.formats.arff.read import Arff, read
from lsdmlo_cli.formats.files import STREAM, Source, Target, stem
from lsdmlo_cli.formats.labels import label_file_for

__all__ = ["STREAM", "Arff", "RowWriter", "Source", "Target", "copy", "label_file_for", "read", "stem"]
