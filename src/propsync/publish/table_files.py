"""The Parquet files of the tables: the columns of each, and the version that says whether it may differ."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import xxhash

from propsync.warehouse import Warehouse, quoted, statement, text, view_sources

FOLDERS = ("parquet", "flat")
_EVERY_RUN = "ops"  # its tables are news even after a quiet night


@dataclass(frozen=True)
class TableFile:
    """A file of one table, with the statement that writes it and its fragments.

    Its content is the same as long as `version` is, unless it `is_news` in each run. A withheld one has the rows of the
    published file.
    """

    name: str
    table: str
    version: str
    is_news: bool
    written: str
    fragments: Mapping[str, str]
    is_withheld: bool = False

    def sql(self, partial: Path) -> str:
        """The statement that writes the whole file to `partial`."""
        return statement(self.written, file=text(str(partial)), **self.fragments)


def table_files(
    warehouse: Warehouse, run_id: str, time_zone: str, withheld: Collection[str], noted: Mapping[str, str]
) -> dict[str, TableFile]:
    """Every file as of `run_id`, by name: each table as it is, and the flat form of those that people open.

    `noted` has the versions that are published: the file of a withheld table stays at its version.
    """
    rows = warehouse.rows(statement("publish/tables"))
    marks = {f"{schema}.{table}": version or "" for schema, table, version in rows}
    files = (
        *(_whole(schema, table, marks, run_id) for schema, table, _ in rows),
        *_flat(warehouse, marks, run_id, time_zone),
    )
    return {file.name: file for file in _with_withheld(files, withheld, noted)}


def _whole(schema: str, table: str, marks: Mapping[str, str], run_id: str) -> TableFile:
    """All columns, as the warehouse has them."""
    name, read = f"{schema}.{table}", _read_by(f"{schema}.{table}")
    fragments = {"table": f"{quoted(schema)}.{quoted(table)}"}
    file = f"parquet/{schema}/{table}.parquet"
    return TableFile(file, name, _version(read, marks, run_id), _is_news(read), "publish/write_parquet", fragments)


def _flat(warehouse: Warehouse, marks: Mapping[str, str], run_id: str, time_zone: str) -> Iterator[TableFile]:
    """The columns that every program reads, with times in `time_zone`; the version is that of the form too."""
    for schema, table, columns in warehouse.rows(statement("publish/flat_tables"), {"zone": text(time_zone)}):
        whole = _whole(schema, table, marks, run_id)
        fragments = {**whole.fragments, "columns": columns}
        form = xxhash.xxh3_64_hexdigest(statement("publish/write_flat", file="", **fragments).encode())
        yield replace(
            whole,
            name=f"flat/{schema}/{table}.parquet",
            version=f"{whole.version} {form}",
            written="publish/write_flat",
            fragments=fragments,
        )


def _with_withheld(
    files: Collection[TableFile], withheld: Collection[str], noted: Mapping[str, str]
) -> Iterator[TableFile]:
    for file in files:
        if not _read_by(file.table) & {*withheld}:
            yield file
        elif file.name in noted:
            yield replace(file, version=noted[file.name], is_withheld=True)


def _read_by(table: str) -> frozenset[str]:
    """The tables that a view reads; of a table, itself."""
    return view_sources().get(table, frozenset({table}))


def _version(read: Collection[str], marks: Mapping[str, str], run_id: str) -> str:
    """The run that changed one of these tables last."""
    return max(run_id if one.startswith(f"{_EVERY_RUN}.") else marks.get(one, "") for one in read)


def _is_news(read: Collection[str]) -> bool:
    return any(one.startswith(f"{_EVERY_RUN}.") for one in read)
