"""Finds the scalar members of many payloads, in bounded time and memory for any number of members."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from propsync.warehouse.connection import Warehouse
from propsync.warehouse.declared_tables import text
from propsync.warehouse.statements import statement

MOST = 400
"""Columns of one table; an object that is really a dictionary would otherwise make one for each of its keys."""
MOST_BELOW = 300
"""Columns from below one member: no dictionary can use up the columns of all other members."""
LONGEST = 200
"""Characters of a member's name; a longer one is a key of a dictionary."""

_WIDTH = ("BIGINT", "DOUBLE", "VARCHAR")
_TOLD = {"BIGINT", "DOUBLE", "BOOLEAN", "OBJECT", "ARRAY", "NULL"}
_NAMES = 2_000  # members of records to inspect, those of most records first
_SHORT = 100  # bytes of a structure to keep; a dictionary's are long, and each differs
_MOST_TEXT = 1_000_000  # bytes of one member's structures to inspect, the most frequent first
_AT_ONCE = 50  # paths; their values in 2,048 payloads are in memory together
_COMMON = 20  # a path in every 20th record comes before rarer ones
Source = tuple[str, ...]


@dataclass(frozen=True)
class Scalar:
    """A scalar member: its path, the type that holds all its values, and the number of records that have it."""

    source: Source
    type: str
    records: int


class Scalars:
    """The scalars in the query `payloads` (one column, `payload`), without those below `excluded` paths.

    The types of `known` sources come from every record, even if there are too many others to inspect.
    """

    def __init__(
        self, warehouse: Warehouse, payloads: str, excluded: Collection[Source], known: Collection[Source]
    ) -> None:
        self._warehouse = warehouse
        self._payloads = payloads
        self._excluded = excluded
        self._known = known
        self.members: set[str] = set()
        """Top-level members of the payloads, after `find`: all known ones, and the most frequent others."""
        self.unfit: set[Source] = set()
        """Members below which some have names that no column gets, after `find`; `()` is the record itself."""

    def find(self) -> tuple[dict[Source, Scalar], list[Source]]:
        """Scalars that have a column or deserve one, and the members that have more than their share below them."""
        seen = self._seen(self._names())
        new = [one for one in _scalars(seen.kinds) if self._is_new(one.source)]
        wanted, full = chosen(new, self._known, seen.records)
        sources = [*self._known, *(one.source for one in wanted)]
        # no structure shows how many digits whole numbers have
        numbers = [source for source in sources if seen.kinds.get(source, {}).keys() & {"UBIGINT", "BIGINT", "DOUBLE"}]
        seen.kinds |= self._kinds(sources if seen.is_cut else numbers)
        kinds = {source: seen.kinds[source] for source in sources if source in seen.kinds}
        return {one.source: one for one in _scalars(kinds, self._known)}, full

    def _is_new(self, source: Source) -> bool:
        """Whether a column may come of it; notes where a name prevents that."""
        if source in self._known or source in self._excluded:
            return False
        above = next((source[:depth] for depth, name in enumerate(source) if _is_unfit(name)), None)
        if above is not None:
            self.unfit.add(above)
        return above is None

    def _names(self) -> list[str]:
        """The members to inspect, without big ones that have tables of their own."""
        wanted = sorted({source[0] for source in (*self._excluded, *self._known)})
        found = self._warehouse.rows(
            statement("scalars/members", payloads=self._payloads),
            {"wanted": wanted, "longest": LONGEST, "most": _NAMES + len(wanted)},
        )
        shown = {name for (name,) in found}
        self.members = {name for name in shown if len(name) <= LONGEST or name in wanted}
        self.unfit |= {()} if self.members != shown else set()
        names = sorted(name for name in self.members if (name, "*") not in self._excluded)
        own = [name for name in names if (name,) in self._excluded]
        # a member with a column of its own needs no inspection, unless it is an object
        objects = self._objects(own)
        return [name for name in names if name not in own or name in objects]

    def _objects(self, names: Sequence[str]) -> set[str]:
        """Those of `names` under which any payload has an object."""
        if not names:
            return set()
        query = statement("scalars/objects", paths=_paths((name,) for name in names), payloads=self._payloads)
        return {names[place - 1] for (place,) in self._warehouse.rows(query)}

    def _kinds(self, sources: Sequence[Source]) -> dict[Source, Counter[str]]:
        """The kinds of value at each of `sources`, of every record; DuckDB parses a payload once for many of them.

        DuckDB reports a whole number of more than 64 bits as a double, which would lose digits.
        """
        kinds: dict[Source, Counter[str]] = defaultdict(Counter)
        for first in range(0, len(sources), _AT_ONCE):
            lot = sources[first : first + _AT_ONCE]
            query = statement("scalars/kinds", paths=_paths(lot), payloads=self._payloads)
            for place, kind, records in self._warehouse.rows(query):
                kinds[lot[place - 1]][kind] = records
        return kinds

    def _seen(self, names: Sequence[str]) -> _Seen:
        """The kinds of value at each path, from the structures of members; one of several equal records counts for
        all.
        """
        seen = _Seen()
        if not names:
            return seen
        paths = _paths([(name,) for name in names])
        structures = statement("scalars/structures", members=paths, payloads=self._payloads)
        self._warehouse.execute(statement("scalars/make_looks", structures=structures), {"short": _SHORT})
        self._warehouse.execute(statement("scalars/choose_looks"), {"most_text": _MOST_TEXT})
        chosen = self._warehouse.rows(statement("scalars/chosen_structures", structures=structures))
        for place, structure, records in chosen:
            seen.take(names[place - 1], structure, records)
        seen.is_cut = self._warehouse.value(statement("scalars/is_cut"))
        seen.records = self._warehouse.value(statement("scalars/count_payloads", payloads=self._payloads))
        return seen


class _Seen:
    """Counts the records by kind of value and path, among the structures inspected."""

    def __init__(self) -> None:
        self.kinds: dict[Source, Counter[str]] = defaultdict(Counter)
        self.records = 0
        self.is_cut = False

    def take(self, member: str, structure: str, records: int) -> None:
        """Adds the structures of that many records under a member."""
        for source, kind in _walk(json.loads(structure), (member,)):
            self.kinds[source][kind] += records


def _walk(structure: Any, source: Source) -> Iterator[tuple[Source, str]]:
    """The kind at each path of a structure from `json_structure`, which gives "JSON" for an empty object."""
    if isinstance(structure, dict):
        yield source, "OBJECT"
        for name, inner in structure.items():
            yield from _walk(inner, (*source, name))
    elif isinstance(structure, list):
        yield source, "ARRAY"
    elif structure != "NULL":
        yield source, "OBJECT" if structure == "JSON" else structure


def _scalars(kinds: Mapping[Source, Counter[str]], known: Collection[Source] = ()) -> Iterator[Scalar]:
    """The paths with a scalar in some record; if another record has an object or an array there, all become text.

    Objects and arrays alone make no column, whether they come in one night or in several.

    At a `known` path, earlier records had the scalar. The members of that object keep columns of their own: one odd
    record must not take them from all others.
    """
    for source, counts in kinds.items():
        found = {_type(kind) for kind in counts} - {"NULL"}
        if found and (source in known or not _is_container(found)):
            yield Scalar(source, "VARCHAR" if _is_container(found) else wider(found), sum(counts.values()))


def _is_unfit(name: str) -> bool:
    """Whether no column is named for such a member: `ops.columns` joins names with dots, and dictionaries have keys of
    any length.
    """
    return "." in name or len(name) > LONGEST


def _is_container(types: Collection[str]) -> bool:
    return set(types) <= {"OBJECT", "ARRAY"}


def _type(kind: str) -> str:
    return {"UBIGINT": "BIGINT"}.get(kind, kind if kind in _TOLD else "VARCHAR")


def wider(types: Collection[str]) -> str:
    """The type that holds values of all of `types`."""
    if len(types) == 1:
        return next(iter(types))
    return max(types, key=_WIDTH.index) if set(types) <= set(_WIDTH) else "VARCHAR"


def chosen(scalars: Iterable[Scalar], known: Collection[Source], records: int) -> tuple[list[Scalar], list[Source]]:
    """Those of `scalars` that get a column beside the `known` ones, and the members with too many below them.

    Paths in many of the `records` come first, then paths higher up.
    """
    taken = Counter(above for source in known for above in _prefixes(source))
    wanted: list[Scalar] = []
    full: dict[Source, None] = {}
    for one in sorted(
        scalars, key=lambda one: (one.records * _COMMON < records, len(one.source), -one.records, one.source)
    ):
        prefixes = _prefixes(one.source)
        too_many = [above for above in prefixes if taken[above] >= (MOST_BELOW if above else MOST)]
        if too_many:
            full |= dict.fromkeys(too_many)
        else:
            wanted.append(one)
            taken.update(prefixes)
    return wanted, sorted(full)


def _prefixes(source: Source) -> list[Source]:
    """The record itself, and the members that a path leads through."""
    return [source[:depth] for depth in range(len(source))]


def json_path(source: Source) -> str:
    """A path into JSON that DuckDB takes: each member quoted, or a pointer if quoting would change a name."""
    if "" in source or "*" in source:
        return "".join("/" + name.replace("~", "~0").replace("/", "~1") for name in source)
    escaped = (name.replace("\\", "\\\\").replace('"', '\\"') for name in source)
    return "$" + "".join(f'."{name}"' for name in escaped)


def _paths(sources: Iterable[Source]) -> str:
    return f"[{', '.join(text(json_path(source)) for source in sources)}]"
