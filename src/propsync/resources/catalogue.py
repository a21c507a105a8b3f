"""The resources that one copy has: those of the API's document, and the further lists that propsync.toml names."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from propsync.resources.model import Resource


class Catalogue:
    """Resources by name, in the order in which a run merges them: types before what they type."""

    def __init__(self, resources: Iterable[Resource], *, dropped: Collection[str] = ()) -> None:
        """`dropped` are lists that propsync.toml no longer names: a run keeps their tables and reads nothing more."""
        self._by_name = {resource.name: resource for resource in resources}
        self._dropped = frozenset(dropped)

    def __iter__(self) -> Iterator[Resource]:
        return iter(self._by_name.values())

    def __getitem__(self, name: str) -> Resource:
        return self._by_name[name]

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    def __len__(self) -> int:
        return len(self._by_name)

    @property
    def names(self) -> tuple[str, ...]:
        """The names, in the same order."""
        return tuple(self._by_name)

    @property
    def families(self) -> tuple[Resource, ...]:
        """Each resource that no other reads as its types: a run takes a family, with its types, in one step."""
        types = {resource.types for resource in self}
        return tuple(resource for resource in self if resource.name not in types)

    @property
    def synced(self) -> tuple[Resource, ...]:
        """The families that a sync reads; `--only` accepts their names."""
        return tuple(resource for resource in self.families if resource.name not in self._dropped)

    @property
    def dropped(self) -> tuple[Resource, ...]:
        """Lists that propsync.toml no longer names, and whose tables stay as the last sync left them."""
        return tuple(resource for resource in self if resource.name in self._dropped)

    @property
    def further(self) -> tuple[Resource, ...]:
        """The lists that the API's document does not describe."""
        return tuple(resource for resource in self if resource.is_further)

    def types_of(self, resource: Resource) -> Resource | None:
        """The resource that lists another's types; None if it has none."""
        return self[resource.types] if resource.types else None

    def with_further(self, resources: Iterable[Resource]) -> Catalogue:
        """The same with further lists; a name that it has keeps its present meaning."""
        added = [one for one in resources if one.name not in self]
        return Catalogue([*self, *added], dropped=self._dropped)

    def with_dropped(self, resources: Iterable[Resource]) -> Catalogue:
        """The same with lists that only the past names; a name that it has keeps its present meaning."""
        added = [one for one in resources if one.name not in self]
        return Catalogue([*self, *added], dropped=self._dropped | {one.name for one in added})
