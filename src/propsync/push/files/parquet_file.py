"""Reads corrections from Parquet."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING, Any

from propsync.merge.reference.spreadsheet import SheetError
from propsync.merge.reference.text_file import ListUnreadable
from propsync.push.files.source import Cell, Row

if TYPE_CHECKING:
    import pyarrow as pa

_ROWS = 2_000  # in memory at once
_LONG = 64  # bits of a time
_OF_DAY = {unit: 86_400 * 10**digits for unit, digits in (("s", 0), ("ms", 3), ("us", 6), ("ns", 9))}
_END = "24:00:00"


def parquet_rows(content: bytes) -> tuple[list[str], Iterator[Row]]:
    """The names of the columns, and the rows. Raises ListUnreadable."""
    # imports here, since few people have such a file
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(pa.BufferReader(content))
        names = file.schema_arrow.names
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise _unreadable(error) from error
    lots = chain.from_iterable(map(_rows_of, _batches(file)))
    return names, (Row(number, [*map(_cell, row)]) for number, row in enumerate(lots, 1))


def _batches(file: Any) -> Iterator[pa.RecordBatch]:
    try:
        yield from file.iter_batches(_ROWS)
    except (ValueError, OSError) as error:  # of damaged pages
        raise _unreadable(error) from error


def _rows_of(batch: pa.RecordBatch) -> Iterator[tuple[Any, ...]]:
    """The rows, by the places of columns: two may have one name."""
    return zip(*map(_cells, batch.schema.names, batch.columns), strict=True)


def _cells(name: str, column: pa.Array) -> list[Any]:
    from pyarrow import types

    try:
        return _times(column) if types.is_time(column.type) else column.to_pylist()
    except (ValueError, OverflowError, LookupError) as error:  # no text, no time of Python, or an unknown zone
        raise ListUnreadable(f"its column {name} has a value that propsync cannot read ({error})") from error


def _times(column: pa.Array) -> list[Any]:
    """The times of a column. The end of a day is a text, because Python has 00:00 for it."""
    numbers = column.view("int64" if column.type.bit_width == _LONG else "int32").to_pylist()
    end = _OF_DAY[column.type.unit]
    return [_END if number == end else cell for number, cell in zip(numbers, column.to_pylist(), strict=True)]


def _unreadable(error: Exception) -> ListUnreadable:
    return ListUnreadable(f"it is not readable Parquet ({error})")


def _cell(cell: Any) -> Cell:
    return SheetError("bytes, and no text") if isinstance(cell, bytes) else cell
