"""Runs the checks on the tables that changed. `ops.checks` has their findings."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import astuple, dataclass, field
from pathlib import Path

from propsync.errors import CheckFailed, MergeFailed
from propsync.warehouse.checks import UNLISTED, Check, Checks, peoples_checks, unusable
from propsync.warehouse.connection import Warehouse
from propsync.warehouse.declared_tables import text
from propsync.warehouse.statements import statement

CORRECT_IT = 'Correct the data or the check; `propsync query "from ops.checks"` shows what it found'
_MOST_SECONDS = 300  # for each check of people's own: the run waits for it
_MOST_SHOWN = 200  # characters
_CHECKS = Checks()


@dataclass(frozen=True)
class Found:
    """The rows that a check found: how many, and one of them."""

    check: Check
    count: int
    example: str | None

    def __str__(self) -> str:
        seen = f"{self.count} rows" if self.count != 1 else "1 row"
        return f"check {self.check.name}: {seen}, such as {in_short(self.example)}"

    @property
    def is_broken(self) -> bool:
        """Whether propsync must not publish the tables as they are."""
        return bool(self.count) and self.check.severity == "fail"


def in_short(example: str | None) -> str:
    """An example for a line to people: a row may have a payload and texts of several lines. `ops.checks` has all."""
    words = " ".join(str(example).split())
    return words if len(words) <= _MOST_SHOWN else f"{words[:_MOST_SHOWN]}…"


@dataclass
class Findings:
    """The findings of a run's checks, and a line for each check of people's own that could not run, by its name."""

    found: list[Found] = field(default_factory=list)
    not_run: dict[str, str] = field(default_factory=dict)

    @property
    def unusable(self) -> list[str]:
        """A line for each check of people's own that could not run."""
        return list(self.not_run.values())

    @property
    def warnings(self) -> list[str]:
        """A line for each check that found rows and that holds up nothing."""
        return [str(one) for one in self.found if one.count and not one.is_broken]

    @property
    def broken(self) -> list[Found]:
        """The rules that published tables must keep, and that these tables break."""
        return [one for one in self.found if one.is_broken]

    def refuse(self) -> None:
        """Raises CheckFailed if a rule is broken."""
        for one in self.broken:
            next_step = CORRECT_IT if one.check.is_own else None
            seen = f"{one.count} rows break it" if one.count != 1 else "1 row breaks it"
            raise CheckFailed(f"check {one.check.name}", f"{seen}, such as {in_short(one.example)}", next_step)


def run_checks(
    warehouse: Warehouse,
    run_id: str,
    since: str | None = None,
    *,
    folder: Path | None = None,
    also: Collection[str] = (),
    is_in_between: bool = False,
) -> Findings:
    """Runs the checks on tables that a run changed, or any run after `since`, and on the tables in `also`.

    `folder` has people's own checks, which run every time: somebody may have edited one. Checks that read a mart wait.
    A run `is_in_between` two syncs leaves what moved as the sync found it; the next sync sees what changed since.
    """
    changed = _changed(warehouse, run_id, since) | {*also}
    declared = _CHECKS.declared(warehouse)
    own, wrong = _own_checks(warehouse, folder) if folder else ([], {})
    if UNLISTED not in wrong:
        _forget_all_but(warehouse, {*wrong, *(one.name for one in (*declared, *own))})
    since_it_ran = _changed_since_they_ran(warehouse, run_id, [one for one in declared if one.is_of_moves])
    ready = [one for one in declared if not one.is_of_marts]
    due = [one for one in ready if _is_due(one, changed | since_it_ran.get(one.name, set()))]
    due = _of_run(due, is_in_between=is_in_between)
    findings = Findings(_found(warehouse, due), wrong)
    own = _of_run([one for one in own if not one.is_of_marts], is_in_between=is_in_between)
    _add_own(warehouse, findings, own, folder)
    _note(warehouse, run_id, findings)
    return findings


def run_mart_checks(
    warehouse: Warehouse, run_id: str, folder: Path | None = None, *, is_in_between: bool = False
) -> Findings:
    """Runs the checks that read a mart, once the marts are built; `folder` has people's own."""
    declared = [one for one in _CHECKS.declared(warehouse) if one.is_of_marts]
    findings = Findings(_found(warehouse, _of_run(declared, is_in_between=is_in_between)))
    own = [one for one in _own_checks(warehouse, folder)[0] if one.is_of_marts] if folder else []
    _add_own(warehouse, findings, _of_run(own, is_in_between=is_in_between), folder)
    _note(warehouse, run_id, findings)
    return findings


def _of_run(checks: Sequence[Check], *, is_in_between: bool) -> list[Check]:
    return [one for one in checks if not (is_in_between and one.is_of_moves)]


def _own_checks(warehouse: Warehouse, folder: Path) -> tuple[list[Check], dict[str, str]]:
    return peoples_checks(warehouse, folder, {one.name for one in _CHECKS.declared(warehouse)})


def _add_own(warehouse: Warehouse, findings: Findings, checks: Sequence[Check], folder: Path | None) -> None:
    for check in checks:  # one at a time: SQL that DuckDB refuses costs no other check
        try:
            with warehouse.bounded(_MOST_SECONDS):
                findings.found += _found(warehouse, [check])
        except MergeFailed as error:
            findings.not_run[check.name] = unusable(folder / f"{check.name}.sql" if folder else check.name, error.what)


def _changed(warehouse: Warehouse, run_id: str, since: str | None) -> set[str]:
    named = {"run_id": run_id, "since": run_id if since is None else since}
    return {f"{schema}.{table}" for schema, table in warehouse.rows(statement("checks/changed_tables"), named)}


def _changed_since_they_ran(warehouse: Warehouse, run_id: str, checks: Sequence[Check]) -> dict[str, set[str]]:
    ran = dict(warehouse.rows(statement("checks/last_runs"), {"names": [one.name for one in checks]}))
    tables = {last: _changed(warehouse, run_id, last) for last in {*ran.values()}}
    return {name: tables[last] for name, last in ran.items()}


def _is_due(check: Check, changed: set[str]) -> bool:
    """Whether a table that it reads changed.

    A check on nothing but tables of `ops` runs every time; one that also compares, whenever any table changed.
    """
    is_of_runs = all(table.startswith("ops.") for table in check.reads) and not check.is_of_key
    return bool(check.reads & changed) or (is_of_runs and (check.comparison is None or bool(changed)))


def _found(warehouse: Warehouse, checks: Sequence[Check]) -> list[Found]:
    compared = _compared(warehouse, [check for check in checks if check.comparison])
    plain = [check for check in checks if not check.comparison]
    return [Found(check, *_offending(warehouse, check)) for check in plain] + compared


def _offending(warehouse: Warehouse, check: Check) -> tuple[int, str | None]:
    count, example = warehouse.rows(statement("checks/offending", check=check.sql))[0]
    return int(count), example


def _compared(warehouse: Warehouse, checks: Sequence[Check]) -> list[Found]:
    """Compares the values with those of the last run; they stay in `staging.check_values`."""
    limits = [(check.name, *astuple(check.comparison)) for check in checks if check.comparison]
    if not limits:
        return []
    each = [statement("checks/values_of", name=text(check.name), check=check.sql) for check in checks]
    warehouse.execute(statement("checks/stage_values", query="\nunion all\n".join(each)))
    warehouse.execute(statement("checks/drop_nameless_values"))
    is_own = any(check.is_own for check in checks)  # propsync's own must not end a run over a status `(none)`
    if is_own and (repeated := warehouse.rows(statement("checks/repeated_subjects"))):
        raise MergeFailed("staging.check_values", f"several rows have the subject {repeated[0][0]}; it may come once")
    names = ("names", "directions", "shares", "floors", "ignoring")
    bound = dict(zip(names, map(list, zip(*limits, strict=True)), strict=True))
    moved = {name: (count, example) for name, count, example in warehouse.rows(statement("checks/moved"), bound)}
    found = [Found(check, *moved.get(check.name, (0, None))) for check in checks]
    _keep(warehouse, [one.check.name for one in found if not one.is_broken])
    return found


def _keep(warehouse: Warehouse, names: Sequence[str]) -> None:
    """Keeps the values for the next run; it compares with the last good ones of a rule that is broken."""
    with warehouse.transaction():
        warehouse.execute(statement("checks/forget_values"), {"names": names})
        warehouse.execute(statement("checks/keep_values"), {"names": names})


def _forget_all_but(warehouse: Warehouse, names: Collection[str]) -> None:
    """Forgets the findings and values of checks whose file is gone."""
    kept = {"names": sorted(names)}
    if warehouse.value(statement("checks/has_others"), kept):
        with warehouse.transaction():
            warehouse.execute(statement("checks/forget_other_findings"), kept)
            warehouse.execute(statement("checks/forget_other_values"), kept)


def _note(warehouse: Warehouse, run_id: str, findings: Findings) -> None:
    taken = {one.name for one in _CHECKS.declared(warehouse)}
    not_run = {name: line for name, line in findings.not_run.items() if name not in taken}
    rows = [_row(one, run_id) for one in findings.found]
    rows += [(name, None, None, line, run_id, "") for name, line in not_run.items()]
    if not rows:
        return
    with warehouse.transaction():
        warehouse.execute(statement("checks/forget_found"), {"names": [row[0] for row in rows]})
        warehouse.add("ops.checks", rows)


def _row(one: Found, run_id: str) -> tuple[object, ...]:
    reads = ", ".join(sorted(one.check.reads))
    return (one.check.name, one.check.severity, one.count, one.example, run_id, reads)
