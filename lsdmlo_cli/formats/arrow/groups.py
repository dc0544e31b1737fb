"""Parquet and Feather files as runs of rows that can be read one by one, and written again: row groups, record batches."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from lsdmlo_cli.errors import FormatError
from lsdmlo_cli.formats.files import Source, Target
from lsdmlo_cli.formats.names import suffix


@dataclass(frozen=True)
class Groups:
    """A file that is open. count: of the groups. codecs: of Parquet, by column, how it is compressed."""

    parquet: bool
    file: Any
    schema: Any
    count: int
    codecs: dict[str, str]

    def tables(self) -> Iterator[Any]:
        """The groups, each a pyarrow.Table."""
        import pyarrow as pa

        for group in range(self.count):
            yield self.file.read_row_group(group) if self.parquet else pa.Table.from_batches([self.file.get_batch(group)])

    def writer(self, sink: Any) -> Any:
        """A writer of a file with the same schema, metadata and compression."""
        import pyarrow as pa
        from pyarrow import parquet

        if self.parquet:
            return parquet.ParquetWriter(sink, self.schema, compression=self.codecs or "snappy")
        return pa.ipc.new_file(sink, self.schema)


def opened(source: Source, parquet: bool) -> Groups:
    """Open a file. Errors: FormatError for one that is damaged, cut short or of another format."""
    import pyarrow as pa
    from pyarrow import parquet as pq

    place = _plain_file(source)
    try:
        if not parquet:
            file = pa.ipc.open_file(place)
            return Groups(False, file, file.schema, file.num_record_batches, {})
        found = pq.ParquetFile(place)
        groups = found.metadata
        columns = [groups.row_group(0).column(i) for i in range(groups.num_columns)] if groups.num_row_groups else []
        codecs = {column.path_in_schema: str(column.compression) for column in columns}
        codecs = {path: "none" if codec == "UNCOMPRESSED" else codec for path, codec in codecs.items()}
        return Groups(True, found, found.schema_arrow, groups.num_row_groups, codecs)
    except (pa.ArrowInvalid, OSError) as error:
        what = "Parquet" if parquet else "Feather (version 2, or Arrow's file format)"
        problem = " ".join(str(error).split())[:120]
        raise FormatError(source.path, None, f"this is no whole {what} file ({problem})") from error


def _plain_file(source: Source) -> Any:
    """The file itself, or a temporary one with its decompressed bytes; all of it is read, so that its digest is known."""
    if not suffix(source.path):
        for _ in source.blocks():
            pass
        source.file.seek(0)
        return source.file
    spool = tempfile.TemporaryFile(prefix="lsdmlo-")
    for block in source.blocks():
        spool.write(block)
    spool.seek(0)
    return spool


class Sink:
    """A Target as pyarrow writes to it."""

    closed = False

    def __init__(self, target: Target) -> None:
        self.target, self.place = target, 0

    def write(self, data: Any) -> int:
        block = bytes(data)
        self.target.write(block)
        self.place += len(block)
        return len(block)

    def tell(self) -> int:
        return self.place

    def flush(self) -> None:
        """Target flushes when it is finished."""

    def close(self) -> None:
        """Target is closed by whoever opened it."""
