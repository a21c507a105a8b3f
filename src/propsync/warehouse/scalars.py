"""Finds the scalar members of many payloads, bounded in time and memory however many different members they have."""

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
"""Columns of one table; an object used as a dictionary would otherwise make one for each of its keys."""
MOST_BELOW = 300
"""Columns from below one member: no dictionary can take the places of all other members."""

_WIDTH = ("BIGINT", "DOUBLE", "VARCHAR")
_TOLD = {"BIGINT", "DOUBLE", "BOOLEAN", "OBJECT", "ARRAY", "NULL"}
_NAMES = 2_000  # members of records that are looked at, those of most records first
_LONGEST = 200  # characters of a member's name; what is longer is a key of a dictionary
_SHORT = 100  # bytes of a structure that is kept at once; a dictionary's are long, and each is another
_MOST_TEXT = 1_000_000  # bytes of one member's structures that are looked at, the most frequent first
_AT_ONCE = 50  # paths; what they lead to in 2,048 payloads is in memory together
_COMMON = 20  # a path in every 20th record comes before those that are rarer
Source = tuple[str, ...]


@dataclass(frozen=True)
class Scalar:
    """A scalar member: its path, the type that holds all its values, and how many records have it."""

    source: Source
    type: str
    records: int


class Scalars:
    """The scalars in the query `payloads` (one column, `payload`), without those below `excluded` paths.

    The types of `known` sources are found from every record, also where there are too many others to look at.
    """

    def __init__(
        self, warehouse: Warehouse, payloads: str, excluded: Collection[Source], known: Collection[Source]
    ) -> None:
        self._warehouse = warehouse
        self._payloads = payloads
        self._excluded = excluded
        self._known = known
        self.members: set[str] = set()
        """Top-level members that the payloads had, after `find`: all that are known, the most frequent others."""

    def find(self) -> tuple[dict[Source, Scalar], list[Source]]:
        """Scalars that have a column or deserve one, and the members below which others get none."""
        seen = self._seen(self._names())
        new = [
            one for one in _scalars(seen.kinds) if one.source not in self._known and not self._is_excluded(one.source)
        ]
        wanted, full = chosen(new, self._known, seen.records)
        sources = [*self._known, *(one.source for one in wanted)]
        # how many digits whole numbers have, no structure tells
        numbers = [source for source in sources if seen.kinds.get(source, {}).keys() & {"UBIGINT", "BIGINT", "DOUBLE"}]
        seen.kinds |= self._kinds(sources if seen.is_cut else numbers)
        kinds = {source: seen.kinds[source] for source in sources if source in seen.kinds}
        return {one.source: one for one in _scalars(kinds)}, full

    def _is_excluded(self, source: Source) -> bool:
        return source in self._excluded or any("." in name or len(name) > _LONGEST for name in source)

    def _names(self) -> list[str]:
        """The members to look into. Big ones that have tables of their own are not."""
        wanted = sorted({source[0] for source in (*self._excluded, *self._known)})
        found = self._warehouse.rows(
            statement("scalars/members", payloads=self._payloads),
            {"wanted": wanted, "longest": _LONGEST, "most": _NAMES + len(wanted)},
        )
        self.members = {name for (name,) in found}
        names = sorted(name for name in self.members if (name, "*") not in self._excluded)
        own = [name for name in names if (name,) in self._excluded]
        # a member that has a column of its own has nothing to tell, unless it is an object
        objects = self._objects(own)
        return [name for name in names if name not in own or name in objects]

    def _objects(self, names: Sequence[str]) -> set[str]:
        """Those of `names` under which any payload has an object."""
        return {source[0] for source, kinds in self._kinds([(name,) for name in names]).items() if "OBJECT" in kinds}

    def _kinds(self, sources: Sequence[Source]) -> dict[Source, Counter[str]]:
        """What stands at each of `sources`, of every record; a payload is parsed once for many of them.

        DuckDB tells a whole number of more than 64 bits as a double, in which it would lose digits.
        """
        kinds: dict[Source, Counter[str]] = defaultdict(Counter)
        for first in range(0, len(sources), _AT_ONCE):
            lot = sources[first : first + _AT_ONCE]
            query = statement("scalars/kinds", paths=_paths(lot), payloads=self._payloads)
            for place, kind, records in self._warehouse.rows(query):
                kinds[lot[place - 1]][kind] = records
        return kinds

    def _seen(self, names: Sequence[str]) -> _Seen:
        """What stands where, from the structures of members; of records that look alike one stands for all."""
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
    """How many records have what kind of value where, of those structures that were looked at."""

    def __init__(self) -> None:
        self.kinds: dict[Source, Counter[str]] = defaultdict(Counter)
        self.records = 0
        self.is_cut = False

    def take(self, member: str, structure: str, records: int) -> None:
        """Takes in what so many records have under a member."""
        for source, kind in _walk(json.loads(structure), (member,)):
            self.kinds[source][kind] += records


def _walk(structure: Any, source: Source) -> Iterator[tuple[Source, str]]:
    """What stands at each path of a structure as `json_structure` tells it; an empty object is told as "JSON"."""
    if isinstance(structure, dict):
        yield source, "OBJECT"
        for name, inner in structure.items():
            yield from _walk(inner, (*source, name))
    elif isinstance(structure, list):
        yield source, "ARRAY"
    elif structure != "NULL":
        yield source, "OBJECT" if structure == "JSON" else structure


def _scalars(kinds: Mapping[Source, Counter[str]]) -> Iterator[Scalar]:
    """The paths with a scalar in some record; where another has an object or an array, all of them are kept as text."""
    types = {source: {_type(kind) for kind in found} - {"NULL"} for source, found in kinds.items()}
    for source, found in types.items():
        above = [types[source[:depth]] for depth in range(1, len(source)) if source[:depth] in types]
        if found and not _is_container(found) and all(map(_is_container, above)):
            yield Scalar(source, wider(found), sum(kinds[source].values()))


def _is_container(types: Collection[str]) -> bool:
    return types in ({"OBJECT"}, {"ARRAY"})


def _type(kind: str) -> str:
    return {"UBIGINT": "BIGINT"}.get(kind, kind if kind in _TOLD else "VARCHAR")


def wider(types: Collection[str]) -> str:
    """The type that holds values of all of `types`."""
    if len(types) == 1:
        return next(iter(types))
    return max(types, key=_WIDTH.index) if set(types) <= set(_WIDTH) else "VARCHAR"


def chosen(scalars: Iterable[Scalar], known: Collection[Source], records: int) -> tuple[list[Scalar], list[Source]]:
    """Those of `scalars` that get a column beside the `known` ones, and the members below which there were too many.

    What stands in many of the `records` comes first, then what stands higher up.
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
    """A path into JSON that DuckDB takes: each member quoted, or a pointer where a quoted name would not be itself."""
    if "" in source or "*" in source:
        return "".join("/" + name.replace("~", "~0").replace("/", "~1") for name in source)
    escaped = (name.replace("\\", "\\\\").replace('"', '\\"') for name in source)
    return "$" + "".join(f'."{name}"' for name in escaped)


def _paths(sources: Iterable[Source]) -> str:
    return f"[{', '.join(text(json_path(source)) for source in sources)}]"
