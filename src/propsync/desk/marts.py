"""Builds the marts from the tables that people read: one whose tables or day changed is built again."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

import xxhash

from propsync.desk.chosen import Chosen
from propsync.desk.given import STAGED, Given
from propsync.desk.inputs import made_by, marks_of_tables
from propsync.errors import MergeFailed
from propsync.merge import NEVER, differ, mark_tables, take_differing
from propsync.warehouse import MARTS, Models, Warehouse, quoted, statement

_OF_RUN = frozenset({"run_id", "as_of", "built_through", "is_whole"})
"""Values that differ in each run, and that alone give no mart other rows."""
_OF_DAY = frozenset({"today"})
"""Values that give other rows each day, of which a mart that renews some of its rows takes care itself."""
_OF_MART = frozenset({"built_through", "is_whole"})
"""Values that differ from mart to mart, and so do the rows of a staging model that binds one."""
_log = logging.getLogger("propsync.desk")


@dataclass(frozen=True)
class _Outcome:
    """One mart of one build: `error` says why it has its earlier rows."""

    mart: str
    inputs: str
    error: str | None = None


def _why(error: MergeFailed) -> str:
    """The fault, with the next step if people can take one, as after a lack of memory."""
    return error.what if error.next_step == error.advice else f"{error.what}. {error.next_step}"


class Marts:
    """The marts of one warehouse, as a run builds them.

    A mart `x` is the file sql/marts/x.sql: its rows replace those of the table that differ. Or it is the pair
    x.close.sql and x.open.sql, which change only what is newer than `$built_through`. If `$is_whole`, they change every
    row: other SQL, settings or shapes may give earlier rows another look. x.toml has its columns.

    A mart that fails keeps its rows, and the others continue.
    """

    def __init__(self, warehouse: Warehouse, run_id: str, chosen: Chosen, given: Given) -> None:
        self._warehouse = warehouse
        self._given = given
        self._run_id = run_id
        self._choices = chosen.choices
        self._models = Models(warehouse, chosen.choices.values() | {"run_id": run_id}, chosen.fragments)
        rows = warehouse.rows(statement("desk/built"))
        self._built: dict[str, tuple[str, datetime, bool]] = {mart: (*of,) for mart, *of in rows}
        self._staged: set[str] = set()

    def build(self, withheld: Collection[str] = ()) -> list[str]:
        """Builds what is behind, but for marts that read a table in `withheld`; returns a line for each that failed."""
        ready = [mart for mart in self._in_order() if self._is_behind(mart) and not self._read_by(mart) & {*withheld}]
        unstaged = self._stage(ready)
        outcomes = [unstaged.get(mart) or self._built_one(mart) for mart in ready]
        self._note(outcomes)
        return [f"the mart {one.mart} keeps its earlier rows: {one.error}" for one in outcomes if one.error]

    def _stage(self, marts: Iterable[str]) -> dict[str, _Outcome]:
        """Makes the tables that rest on what people give; the failure of each mart that reads them if it cannot."""
        read = {mart: self._models.read_by(_opened(self._models, mart)) & STAGED for mart in marts}
        try:
            self._given.stage(frozenset[str]().union(*read.values()))
        except MergeFailed as error:
            _log.error("staging: %s", error)
            return {mart: _Outcome(mart, self._inputs(mart), error=_why(error)) for mart in read if read[mart]}
        return {}

    def _in_order(self) -> list[str]:
        """Every mart after those that it reads."""
        models = [_opened(self._models, table.name) for table in MARTS.values()]
        return [model.removeprefix("marts/").removesuffix(".open") for model in self._models.in_order(models)]

    def _is_behind(self, mart: str) -> bool:
        inputs, _, is_failed = self._built.get(mart, ("", NEVER, True))
        return is_failed or inputs != self._inputs(mart)

    def _read_by(self, mart: str) -> frozenset[str]:
        """The tables that a mart reads, directly or through other marts."""
        read = self._own_reads(mart)
        read = read.union(*(self._given.sources(table) for table in read))
        through = (self._read_by(table.removeprefix("marts.")) for table in read if table in MARTS)
        return read.union(*through)

    def _own_reads(self, mart: str) -> frozenset[str]:
        """The tables that a mart reads itself; one that renews some of its rows compares with those it has."""
        return self._models.read_by(_opened(self._models, mart)) - {f"marts.{mart}"}

    def _inputs(self, mart: str) -> str:
        """A hash of everything that a mart is made of: its rules, the tables that it reads, the day."""
        read = {table: self._mark(table) for table in sorted(self._own_reads(mart))}
        day = self._bound(mart) & _OF_DAY
        return f"{self._rules(mart)} {_hash(read, [self._models.values[name] for name in sorted(day)])}"

    def _rules(self, mart: str) -> str:
        """A hash of everything that may give earlier rows another look: SQL, choices, shapes, types of columns."""
        model = _opened(self._models, mart)
        bound = {name: self._models.values[name] for name in sorted(self._bound(mart) - _OF_DAY)}
        written = [self._models.sql(one) for one in (model, *sorted(self._models.staged_for([model])))]
        columns = [self._columns.get(table) for table in sorted(self._own_reads(mart))]
        return _hash(made_by(), written, bound, columns, self._marks.get("ops.shapes"))

    def _bound(self, mart: str) -> frozenset[str]:
        return self._models.bound_by(_opened(self._models, mart)) - _OF_RUN

    def _mark(self, table: str) -> str | None:
        """The mark of a table that a mart reads: it changes with the rows."""
        if table in MARTS:
            return self._inputs(table.removeprefix("marts."))
        if table in STAGED:
            return self._given.mark(table, self._marks)
        return self._choices.lists.get(table) or self._marks.get(table)

    @cached_property
    def _marks(self) -> Mapping[str, str]:
        return marks_of_tables(self._warehouse, self._choices.time_zone)

    @cached_property
    def _columns(self) -> Mapping[str, str]:
        return dict(self._warehouse.rows(statement("desk/columns")))

    def _built_one(self, mart: str) -> _Outcome:
        inputs = self._inputs(mart)
        try:
            (self._renew if self._models.has(f"marts/{mart}.open") else self._replace)(mart)
        except MergeFailed as error:
            _log.error("the mart %s: %s", mart, error)
            return _Outcome(mart, inputs, error=_why(error))
        return _Outcome(mart, inputs)

    def _stage_for(self, models: Models, *of_mart: str) -> None:
        """Makes the staging models that a mart reads, but for those that an earlier mart of this build left."""
        made = models.stage_for(*of_mart, made=self._staged)
        self._staged |= {model for model in made if self._stays(model)}

    def _stays(self, model: str) -> bool:
        """Whether a staging model has the same rows for every mart of one build."""
        return not self._models.bound_by(model) & _OF_MART and not self._models.read_by(model) & MARTS.keys()

    def _renew(self, mart: str) -> None:
        """Replaces the rows that are newer than the last build, or all of them if its rules are others."""
        inputs, built_through, _ = self._built.get(mart, ("", NEVER, True))
        is_whole = not inputs.startswith(self._rules(mart))
        models = self._models.with_values(built_through=built_through, is_whole=is_whole)
        self._stage_for(models, f"marts/{mart}.close", f"marts/{mart}.open")
        with self._warehouse.transaction():
            removed = models.close(f"marts/{mart}.close")
            if removed + models.open(f"marts/{mart}.open"):
                self._mark_changed(mart)

    def _replace(self, mart: str) -> None:
        """Builds the mart beside its rows, and replaces those that differ; in its place if it has none."""
        staged, table, model = f"staging.{mart}", f"marts.{mart}", f"marts/{mart}"
        self._stage_for(self._models, model)
        if not self._warehouse.value(statement("warehouse/has_rows", table=table)):
            with self._warehouse.transaction():
                if self._models.open(model):
                    self._mark_changed(mart)
                self._refuse_doubles(mart, table)
            return
        self._models.stage(model)
        self._refuse_doubles(mart, staged)
        if differ(self._warehouse, staged, table):
            with self._warehouse.transaction():
                take_differing(self._warehouse, staged, table)
                self._mark_changed(mart)

    def _mark_changed(self, mart: str) -> None:
        """Marks a mart together with its rows: a kill between the two would leave its files as they were."""
        mark_tables(self._warehouse, self._run_id, "marts", [mart])

    def _refuse_doubles(self, mart: str, built: str) -> None:
        key = MARTS[f"marts.{mart}"].key
        if self._warehouse.value(statement("desk/doubles", built=built, key=", ".join(map(quoted, key)))):
            raise MergeFailed(f"marts/{mart}", f"two rows have one key ({', '.join(key)})")

    def _note(self, outcomes: Iterable[_Outcome]) -> None:
        rows = [self._row(one) for one in outcomes]
        if not rows:
            return
        with self._warehouse.transaction():
            names = [row[0] for row in rows]
            new = [one.mart for one in outcomes if one.mart not in self._built]
            mark_tables(self._warehouse, self._run_id, "marts", new)
            self._warehouse.execute(statement("desk/forget"), {"marts": names})
            self._warehouse.add("ops.marts", rows)

    def _row(self, one: _Outcome) -> tuple[Any, ...]:
        inputs, built_through, _ = self._built.get(one.mart, ("", NEVER, True))
        if one.error:
            return (one.mart, self._run_id, built_through, inputs, one.error)
        return (one.mart, self._run_id, self._choices.as_of, one.inputs, None)


def _opened(models: Models, mart: str) -> str:
    """The model that makes a mart's rows."""
    return f"marts/{mart}.open" if models.has(f"marts/{mart}.open") else f"marts/{mart}"


def _hash(*parts: Any) -> str:
    return xxhash.xxh3_128_hexdigest(repr(parts).encode())
