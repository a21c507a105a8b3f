"""Rows in Python's memory as Arrow arrays: DuckDB reads them in place, without making a value of each first.

Python imports nanoarrow in a thirtieth of a second; pyarrow takes longer than most runs.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from itertools import accumulate

import nanoarrow as na

_JSON = na.extension_type(na.large_string(), "arrow.json", "")


def whole_numbers(values: Iterable[int]) -> na.CArray:
    """A BIGINT column."""
    numbers = array("q", values)
    return na.c_array_from_buffers(na.int64(), len(numbers), [None, numbers])


def texts(values: Sequence[str | None]) -> na.CArray:
    """A VARCHAR column."""
    return na.c_array(values, na.string())


def documents(values: Sequence[bytes]) -> na.CArray:
    """A JSON column of texts that are certainly JSON."""
    ends = array("q", accumulate(map(len, values), initial=0))
    return na.c_array_from_buffers(_JSON, len(values), [None, ends, b"".join(values)])


def lot(**columns: na.CArray) -> na.Array:
    """Columns as a table. Raises ValueError for columns of different length."""
    schema = na.struct({name: column.schema for name, column in columns.items()})
    (length,) = {len(column) for column in columns.values()}
    return na.Array(na.c_array_from_buffers(schema, length, [None], children=columns.values()))
