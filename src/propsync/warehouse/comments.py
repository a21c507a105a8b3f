"""Comments on very many columns, at bounded memory."""

from __future__ import annotations

from collections.abc import Sequence

from propsync.warehouse.connection import Warehouse

_MOST = 600


def write_comments(warehouse: Warehouse, comments: Sequence[str]) -> None:
    """Runs statements that comment columns, some hundred in a transaction; a kill leaves the rest unwritten.

    For each comment on a column, DuckDB keeps a copy of all columns of the table until the transaction ends. These
    copies are beyond its memory limit. 60,000 columns of 200 tables took more than 3 GB.
    """
    for start in range(0, len(comments), _MOST):
        with warehouse.transaction():
            warehouse.execute(";\n".join(comments[start : start + _MOST]))
