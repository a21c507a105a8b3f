"""Checks: queries that return the rows that break a rule, or values to compare with those of the last run."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

from propsync.errors import HomeUnusable, SettingsError
from propsync.resources import BUILT_IN, Resource
from propsync.shipped import shipped
from propsync.storage import files_named
from propsync.warehouse.connection import Warehouse
from propsync.warehouse.declared_tables import MARTS, Table, quoted
from propsync.warehouse.model_order import sources
from propsync.warehouse.resource_sql import resource_fragments
from propsync.warehouse.statements import statement
from propsync.warehouse.templates import filled

_HEADER = re.compile(r"^-- (severity|direction|share|floor|new): *(\S+) *$", re.MULTILINE)
_ACCEPTED = {"severity": ("fail", "warn"), "direction": ("up", "down", "both"), "new": ("counted", "ignored")}
UNLISTED = "(all of your own)"
"""Takes the place of a check's name if the system cannot list people's folder: any check may still be in it."""
_NO_HEADER = "it has no line `-- severity: fail` or `-- severity: warn`"


@dataclass(frozen=True)
class Comparison:
    """How far a value may move between two runs: in which direction, by which share, and from which number on.

    The share is of the earlier value; or it is a difference of shares, if the check gives a total beside the value. A
    new subject with a total rose from 0, unless `ignores_new`.
    """

    direction: str
    share: float
    floor: float
    ignores_new: bool


@dataclass(frozen=True)
class Check:
    """One rule on the tables `reads`. A resource with a broken rule of severity "fail" is not published.

    With a comparison, `sql` returns `subject`, `value` and `total` (NULL if the value is no part of one). `is_of_key`
    marks the check that a key comes once, `is_own` one that people added.
    """

    name: str
    severity: str
    sql: str
    reads: frozenset[str]
    comparison: Comparison | None = None
    is_of_key: bool = False
    is_own: bool = False

    @property
    def is_of_marts(self) -> bool:
        """Whether it reads a mart, so that it has to wait for these. A key waits for nothing but its own table."""
        return not self.is_of_key and any(table.startswith("marts.") for table in self.reads)

    @property
    def is_of_moves(self) -> bool:
        """Whether it warns of what moved since the last run, so that the next run finds nothing."""
        return self.comparison is not None and self.severity == "warn"


class Checks:
    """propsync's own checks, read once: a check's text determines its tables, so any warehouse can find them."""

    def __init__(self) -> None:
        self._declared: dict[tuple[tuple[str, ...], ...], tuple[Check, ...]] = {}

    def declared(self, warehouse: Warehouse) -> tuple[Check, ...]:
        """The checks under `sql/checks/`, and one for the key of each table that has one."""
        families = warehouse.catalogue.families
        tables = tuple((one.name, *one.key_columns) for one in families)
        if tables not in self._declared:
            written = [_check(warehouse, name, sql) for name, sql in sorted(check_files(families))]
            keyed = (table for name, table in warehouse.tables.items() if table.key and name not in MARTS)
            unique = [_unique(table) for table in keyed]  # the desk keeps the key of a mart: it holds up no other table
            self._declared[tables] = (*written, *unique)
        return self._declared[tables]


def check_files(resources: Iterable[Resource] = BUILT_IN.families) -> Iterator[tuple[str, str]]:
    """Name and SQL of each check: those that stand alone, those that compare, and the templates for each resource."""
    folder = shipped("sql") / "checks"
    for path in (*folder.glob("*.sql"), *(folder / "compared").glob("*.sql")):
        yield path.stem, path.read_text(encoding="utf-8")
    for path, resource in product((folder / "each_resource").glob("*.sql"), tuple(resources)):
        yield f"{resource.name}_{path.stem}", filled(path.read_text(encoding="utf-8"), resource_fragments(resource))


def peoples_checks(warehouse: Warehouse, folder: Path, taken: Collection[str]) -> tuple[list[Check], dict[str, str]]:
    """The checks in people's own folder, and a line for each file that is none, by name; a missing folder has none.

    A check with a name in `taken` is none: its findings and its values would replace those of propsync's own check.
    """
    found, wrong = list[Check](), dict[str, str]()
    try:
        paths = files_named(folder, "*.sql")
    except HomeUnusable as error:
        what = f"{error.what}, so no check of your own has run"
        return found, {UNLISTED: str(HomeUnusable(error.where, what, error.next_step))}
    for path in paths:
        try:
            found.append(replace(_check(warehouse, _free_name(path, taken), _written(path)), is_own=True))
        except UnicodeDecodeError:
            wrong[path.stem] = unusable(path, "it is not UTF-8 text; save it as UTF-8")
        except OSError as error:
            wrong[path.stem] = unusable(path, f"it cannot be read: {error.strerror}")
        except ValueError as error:
            wrong[path.stem] = unusable(path, error)
    return found, wrong


def _free_name(path: Path, taken: Collection[str]) -> str:
    if path.stem in taken:
        raise ValueError("propsync has a check of that name itself; give the file another name")
    return path.stem


def _written(path: Path) -> str:
    """The SELECT of a file as editors and other programs leave it: with a mark of its encoding, or a semicolon."""
    return path.read_text(encoding="utf-8-sig").rstrip().rstrip(";")


def unusable(path: Path | str, why: object) -> str:
    """The line about a check of people's own that cannot run."""
    words = " ".join(str(why).split())
    return str(SettingsError(f"the check {path}", words, "Correct it; the other checks have run"))


def _check(warehouse: Warehouse, name: str, sql: str) -> Check:
    headers = dict(_HEADER.findall(sql))
    if "severity" not in headers:
        raise ValueError(_NO_HEADER)
    for header, accepted in _ACCEPTED.items():
        if headers.get(header, accepted[0]) not in accepted:
            raise ValueError(f"its {header} is {headers[header]}, and it must be {' or '.join(accepted)}")
    return Check(name, headers["severity"], sql, frozenset(sources(warehouse, sql)), _comparison(headers))


def _comparison(headers: dict[str, str]) -> Comparison | None:
    if "direction" not in headers:
        return None
    ignores_new = headers.get("new") == "ignored"
    try:
        return Comparison(headers["direction"], float(headers["share"]), float(headers["floor"]), ignores_new)
    except (KeyError, ValueError):
        raise ValueError("beside its direction it needs a share and a floor, both numbers") from None


def _unique(table: Table) -> Check:
    key = ", ".join(quoted(column) for column in table.key)
    sql = statement("checks/keys_that_come_twice", key=key, table=table.full_name)
    return Check(f"{table.full_name}_key_is_unique", "fail", sql, frozenset({table.full_name}), is_of_key=True)
