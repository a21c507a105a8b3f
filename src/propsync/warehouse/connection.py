"""The state database: one DuckDB file that only the holder of the run lock writes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from threading import Timer
from types import TracebackType
from typing import Any, Self

import duckdb
import nanoarrow as na

from propsync.errors import DiskFull, HomeUnusable, MergeFailed, StateUnusable
from propsync.memory import give_back
from propsync.resources import BUILT_IN, Catalogue
from propsync.storage import PARTIAL, remove, replace
from propsync.warehouse.arrow import lot
from propsync.warehouse.database_errors import opening, our_errors, refuse_other_than_file
from propsync.warehouse.declared_tables import TABLES, Table, by_name, quoted, tables_of, text
from propsync.warehouse.further_tables import declared
from propsync.warehouse.macros import macros, macros_for_people
from propsync.warehouse.statements import statement
from propsync.warehouse.views import views_for_people

STORAGE_VERSION = "v1.2.0"
"""Clients from 1.2 on can open a file of this format."""

SCHEMA_VERSION = 22
"""`ops.schema_version` has it; propsync never migrates a file with another number: rebuild it."""

NO_BAR = "set enable_progress_bar = false"
"""Where Python runs no file, as in a notebook or `python -c`, DuckDB shows a bar on stdout for what takes 2 seconds."""

Parameters = Mapping[str, Any] | Sequence[Any] | None


@dataclass(frozen=True)
class Whole:
    """Relations with all records of a resource, although `[privacy]` hides some of them."""

    history: str
    present: str
    unshown: str


def _make(path: Path) -> None:
    """Makes a database file elsewhere first: a kill or a full disk leaves half of one, which DuckDB never opens.

    Without landing, `propsync rebuild` would then have nothing to make another from.
    """
    partial = path.with_name(path.name + PARTIAL)
    remove(partial)
    with opening(path):
        duckdb.connect(partial, config={"storage_compatibility_version": STORAGE_VERSION}).close()
    replace(partial, path)


class Warehouse:
    """A connection to the state database, with a scratch database `staging` that ends with the run.

    `folder` holds whatever exceeds `memory_limit`; `threads` are DuckDB's. The file has tables for every resource of
    `catalogue`. Raises StateUnusable for a damaged or foreign file, SettingsError for a further list that cannot have
    its table.
    """

    def __init__(
        self, path: Path, *, memory_limit: str, folder: Path, catalogue: Catalogue = BUILT_IN, threads: int = 1
    ) -> None:
        refuse_other_than_file(path)
        self.path = path
        self._shown: na.Array | None = None
        self._whole: dict[str, Whole] = {}
        config: dict[str, str | bool | int | float | list[str]] = {
            "storage_compatibility_version": STORAGE_VERSION,
            "memory_limit": memory_limit,
            "threads": threads,
            "temp_directory": str(folder),
            "preserve_insertion_order": False,
            "autoinstall_known_extensions": False,
            "checkpoint_threshold": "1MB",  # larger changes go into the file at once, not to the log first
        }
        if not path.exists():
            _make(path)
        with opening(path):
            self._connection = duckdb.connect(path, config=config)
        try:
            self._begin()
            self.catalogue = declared(self, catalogue)
        except BaseException:  # a caller that keeps the error would keep the file open
            self._connection.close()
            raise
        self.tables: dict[str, Table] = TABLES | by_name(
            table for one in self.catalogue.further for table in tables_of(one)
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Ends the connection; DuckDB writes its checkpoint."""
        self._connection.close()

    def empty_staging(self) -> None:
        """Drops the tables of the scratch database, which otherwise hold memory until the run ends; gives it back."""
        for (table,) in self.rows(statement("warehouse/staging_tables")):
            self.execute(f"drop table staging.{quoted(table)}")
        give_back()

    @cached_property
    def database(self) -> str:
        """DuckDB's name for the state database, for views in other databases."""
        return str(self.value("select current_database()"))

    def execute(self, sql: str, parameters: Parameters = None) -> duckdb.DuckDBPyConnection:
        """Runs one statement. Raises DiskFull if the disk is full, and DuckDB's own errors."""
        with our_errors(self.path):
            return self._run(sql, parameters)

    def rows(self, sql: str, parameters: Parameters = None) -> list[tuple[Any, ...]]:
        """All rows of a query."""
        with our_errors(self.path):
            return self._run(sql, parameters).fetchall()

    def _run(self, sql: str, parameters: Parameters) -> duckdb.DuckDBPyConnection:
        return self._run_on(self._connection, sql, parameters)

    def _run_on(
        self, connection: duckdb.DuckDBPyConnection, sql: str, parameters: Parameters
    ) -> duckdb.DuckDBPyConnection:
        # DuckDB looks for an unknown table among the variables here; a registered one would stay in memory until the
        # transaction ends
        lot = self._shown  # noqa: F841
        return connection.execute(sql, parameters)

    @contextmanager
    def bounded(self, seconds: float) -> Iterator[None]:
        """For SQL that people wrote, which ends after `seconds`.

        A file that it cannot read is no damage of the state, and a disk that it fills has room again afterwards. Raises
        MergeFailed for all three.
        """
        timer = Timer(seconds, self._connection.interrupt)
        timer.daemon = True
        timer.start()
        try:
            yield
        except (DiskFull, HomeUnusable, MergeFailed, StateUnusable) as error:
            if isinstance(error, DiskFull):
                raise MergeFailed(self.path.name, "it needs more room than the disk has") from error
            if isinstance(error.__cause__, duckdb.InterruptException):
                raise MergeFailed(self.path.name, f"it took longer than {seconds:g} seconds") from error
            if isinstance(error.__cause__, duckdb.IOException):
                raise MergeFailed(self.path.name, error.what) from error
            raise
        finally:
            timer.cancel()

    def named_rows(self, sql: str) -> tuple[list[str], list[tuple[Any, ...]]]:
        """Column names, and all rows."""
        with our_errors(self.path):
            found = self._run(sql, None)
            return [name for name, *_ in found.description], found.fetchall()

    def value(self, sql: str, parameters: Parameters = None) -> Any:
        """The first column of the first row, None without rows."""
        found = self.rows(sql, parameters)
        return found[0][0] if found else None

    def batches(self, sql: str, parameters: Parameters = None, rows: int = 2_000) -> Iterator[list[tuple[Any, ...]]]:
        """A query's rows in bounded batches; another statement on the connection would end it."""
        cursor = self._connection.cursor()
        try:
            with our_errors(self.path):
                cursor.execute(sql, parameters)
                while lot := cursor.fetchmany(rows):
                    yield lot
        finally:
            cursor.close()

    @contextmanager
    def showing(self, rows: na.Array) -> Iterator[None]:
        """Lets statements read rows that Python holds (see `lots`) as `lot`."""
        self._shown = rows
        try:
            yield
        finally:
            self._shown = None

    def append(self, table: str, /, **columns: na.CArray) -> None:
        """Adds rows to `table`, given by column (see `lots`)."""
        with self.showing(lot(**columns)):
            self.execute(f"insert into {table} ({', '.join(map(quoted, columns))}) from lot")

    def add(self, table: str, rows: Iterable[Sequence[Any]]) -> None:
        """Adds whole rows to `table`, values in the order of its columns: one statement for any number."""
        columns = [list(values) for values in zip(*rows, strict=True)]
        if columns:
            self.execute(f"insert into {table} select {', '.join('unnest(?)' for _ in columns)}", columns)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing. Inside it, only reads of `staging` work: a transaction writes one database."""
        self._connection.begin()
        try:
            yield
        except BaseException:
            with suppress(duckdb.Error):  # a broken connection has nothing to roll back
                self._connection.rollback()
            raise
        with our_errors(self.path):
            self._connection.commit()

    @contextmanager
    def joins_as_written(self) -> Iterator[None]:
        """Keeps the right side of each join in memory, as the SQL has it, and reads the left one past it.

        DuckDB would swap them by rows and columns alone, and so hold every payload of a join's left side.
        """
        self.execute("set disabled_optimizers = 'build_side_probe_side'")
        try:
            yield
        finally:
            with suppress(duckdb.Error):  # a broken connection has nothing to reset, and its own error tells more
                self._connection.execute("reset disabled_optimizers")

    def attach(self, path: Path, name: str) -> None:
        """Opens another database file beside the state, under a name; it is made if it does not exist."""
        with our_errors(path):
            self._connection.execute(f"attach {text(str(path))} as {name} (storage_version '{STORAGE_VERSION}')")

    @contextmanager
    def beside(self) -> Iterator[Callable[[str, Parameters], object]]:
        """A second transaction, for another database; it commits before an open `transaction` does."""
        cursor = self._connection.cursor()
        try:
            with our_errors(self.path):
                cursor.begin()
                yield lambda sql, parameters: self._run_on(cursor, sql, parameters)
                cursor.commit()
        finally:
            cursor.close()

    def know(self, name: str, whole: Whole) -> None:
        """Lets whatever decides about completeness read records of a resource that its tables do not show."""
        self._whole[name] = whole

    def history(self, name: str) -> str:
        """A relation with the whole history of a resource."""
        return self._whole[name].history if name in self._whole else f"history.{quoted(name)}"

    def present(self, name: str) -> str:
        """A relation with keys, properties, types and statuses of a resource's present records, shown or not."""
        return self._whole[name].present if name in self._whole else f"main.{quoted(name)}"

    def unshown(self, name: str) -> str | None:
        """A relation like `present` with the records that no table shows; None if there are none."""
        return self._whole[name].unshown if name in self._whole else None

    def checkpoint(self) -> None:
        """Moves everything into the file itself, so that a copy of it is whole."""
        self.execute("checkpoint")

    def _create(self) -> None:
        with self.transaction():
            for schema in ("history", "by_type", "ops", "marts"):
                self.execute(f"create schema {schema}")
            self.execute(";\n".join(ddl for table in TABLES.values() for ddl in table.ddl()))
            for statements in (*views_for_people(BUILT_IN.families, self.rows), *macros_for_people(BUILT_IN.families)):
                self.execute(statements)
            self.execute(statement("warehouse/note_schema_version"), {"version": SCHEMA_VERSION})

    def _begin(self) -> None:
        """Makes staging, and the tables of a file that has none yet: a new one, or one whose first run died."""
        with our_errors(self.path):
            self._connection.execute(NO_BAR)
            self._connection.execute("attach ':memory:' as staging")
            for statements in macros("staging"):
                self._connection.execute(statements)
        version = self._version()
        if version is None and self._is_empty():
            self._create()
        elif version != SCHEMA_VERSION:
            raise StateUnusable(str(self.path), f"its schema version is {version}, not {SCHEMA_VERSION}")

    def _version(self) -> int | None:
        with our_errors(self.path), suppress(duckdb.CatalogException, duckdb.BinderException):  # another program's file
            ((latest,),) = self._connection.execute(statement("warehouse/schema_version")).fetchall()
            return None if latest is None else int(latest)
        return None

    def _is_empty(self) -> bool:
        return bool(self.value(statement("warehouse/is_empty")))
