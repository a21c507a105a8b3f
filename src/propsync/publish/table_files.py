"""The files of the tables: the columns of each, and the version that says whether it may differ."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import xxhash

from propsync.warehouse import MARTS, Warehouse, quoted, statement, text, view_sources

FOLDERS = ("parquet", "flat")
_FLAT = ("main", "marts", "by_type")
_UNENDED = "unended"
_EVERY_RUN = "ops"  # its tables are news even after a quiet night
BY_CLOCK: Mapping[str, Collection[str]] = {"marts.trust": ("hours_since",)}
"""Columns that a view computes from the present time. A file would keep what they were at the run, so none has them."""


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
    comments: Mapping[str, str] = field(default_factory=dict)
    """Of the table, under an empty name, and of its columns; only a Delta table has them."""
    twin: str | None = None
    """An earlier file with the same bytes if both are of one version."""

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
    flat = list(_flat(warehouse, marks, run_id, time_zone))
    twins = {file.twin: file for file in flat if file.twin}
    whole = (_whole(schema, table, marks, run_id) for schema, table, _ in rows)
    files = [*(_like(file, twins[file.name]) if file.name in twins else file for file in whole), *flat]
    return {file.name: file for file in _with_withheld(files, withheld, noted)}


def delta_files(
    warehouse: Warehouse, run_id: str, schemas: Collection[str], withheld: Collection[str], noted: Mapping[str, str]
) -> dict[str, TableFile]:
    """The tables of `schemas` in the form of Delta tables, by schema/table; `noted` as for `table_files`.

    The version is that of the columns and comments too.
    """
    rows = warehouse.rows(statement("publish/tables"))
    marks = {f"{schema}.{table}": version or "" for schema, table, version in rows}
    columns = _plain_columns(warehouse, "delta", schemas)
    comments = _comments(warehouse)
    files = (
        _formed(_whole(*name, marks, run_id), "/".join(name), "publish/write_delta", columns[name], comments.get(name))
        for name in ((schema, table) for schema, table, _ in rows)
        if name in columns
    )
    return {file.name: file for file in _with_withheld(list(files), withheld, noted)}


def of_unended_run(files: dict[str, TableFile], unended: str | None) -> dict[str, TableFile]:
    """The same files, in a version of their own if a run that has not ended changed the table: it may do so again."""
    changed = {name: file for name, file in files.items() if file.version.split(" ")[0] == unended}
    return files | {name: replace(file, version=f"{file.version} {_UNENDED}") for name, file in changed.items()}


def _plain_columns(
    warehouse: Warehouse, form: str, schemas: Collection[str], zone: str = ""
) -> dict[tuple[str, str], str]:
    """The select list of each table in a form, by schema and table; `zone` is a literal."""
    left_out = [f"{table}.{column}" for table, columns in BY_CLOCK.items() for column in columns]
    given = {"form": form, "schemas": list(schemas), "zone": zone, "left_out": left_out}
    found = warehouse.rows(statement("publish/plain_columns"), given)
    return {(schema, table): columns for schema, table, columns in found}


def _comments(warehouse: Warehouse) -> dict[tuple[str, str], dict[str, str]]:
    found: dict[tuple[str, str], dict[str, str]] = {}
    for schema, table, column, comment in warehouse.rows(statement("publish/comments")):
        found.setdefault((schema, table), {})[column] = comment
    return found


def _formed(
    whole: TableFile, name: str, written: str, columns: str, comments: Mapping[str, str] | None = None
) -> TableFile:
    """The file of a table in another form."""
    fragments = {**whole.fragments, "columns": columns}
    words = [
        statement(written, file="", **fragments),
        *(f"{one}\0{said}" for one, said in sorted((comments or {}).items())),
    ]
    form = xxhash.xxh3_64_hexdigest("\0".join(words).encode())
    version = f"{whole.version} {form}"
    return replace(
        whole, name=name, version=version, written=written, fragments=fragments, comments=dict(comments or {})
    )


def _whole(schema: str, table: str, marks: Mapping[str, str], run_id: str) -> TableFile:
    """All columns, as the warehouse has them, but for those that the clock changes."""
    name, read = f"{schema}.{table}", _read_by(f"{schema}.{table}")
    left_out = ", ".join(map(quoted, BY_CLOCK.get(name, ())))
    columns = f"* exclude ({left_out})" if left_out else "*"
    fragments = {"table": f"{quoted(schema)}.{quoted(table)}", "columns": columns}
    file = f"parquet/{schema}/{table}.parquet"
    return TableFile(file, name, _version(read, marks, run_id), _is_news(read), "publish/write_parquet", fragments)


def _flat(warehouse: Warehouse, marks: Mapping[str, str], run_id: str, time_zone: str) -> Iterator[TableFile]:
    """The columns that every program reads, with times in `time_zone`; the version is that of the form too."""
    for (schema, table), columns in _plain_columns(warehouse, "flat", _FLAT, text(time_zone)).items():
        whole = _whole(schema, table, marks, run_id)
        file = _formed(whole, f"flat/{schema}/{table}.parquet", "publish/write_flat", columns)
        yield replace(file, twin=whole.name) if _is_plain(whole.table, columns) else file


def _is_plain(table: str, columns: str) -> bool:
    """Whether the flat form of a mart has every column as it is."""
    return table in MARTS and columns == ", ".join(f"{quoted(name)} as {quoted(name)}" for name in MARTS[table].columns)


def _like(whole: TableFile, flat: TableFile) -> TableFile:
    """The whole file, written as its flat form is: one statement writes both."""
    return replace(whole, written=flat.written, fragments=flat.fragments)


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
