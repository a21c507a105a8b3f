"""How answers of the API are read, by the shapes that the last published run knew."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from propsync.api import Answer
from propsync.errors import MalformedBody, UnexpectedAnswer
from propsync.merge import overridden, stored_shape
from propsync.push.plan import Entry, Plan
from propsync.push.sending.live_names import LiveNames
from propsync.push.values.asset_values import AssetShape
from propsync.push.values.fields import WRITABLE
from propsync.push.values.option_ids import OptionIds, names_no_ids
from propsync.push.values.sameness import is_empty
from propsync.push.values.schedule_values import MEMBERS, schedule_values
from propsync.push.values.written_values import Key, shown_values
from propsync.records import Cutter, Path, PayloadUnreadable, is_nothing
from propsync.resources import ASSET_TYPES, ASSETS, BUILT_IN, SCHEDULES, Resource
from propsync.shapes import Shape, configured, cutter_of
from propsync.suppression import Suppression
from propsync.warehouse import PublishedReader, statement

Kinds = Mapping[str, Mapping[str, str]]
"""The kind of each field, by asset type and field."""


@dataclass(frozen=True)
class AssetReading:
    """An asset as an answer shows it: where it is, and its values by field id."""

    asset_id: str
    property_id: str
    type_id: str
    values: Mapping[str, Any]


class AssetAnswers:
    """Reads pages of assets, as the tables show them: without what was erased. It knows how a write names options."""

    def __init__(
        self, assets: Shape, types: Shape, kinds: Kinds, suppression: Suppression, definitions: Mapping[str, str]
    ) -> None:
        """`definitions` are the asset types in JSON by id."""
        self._suppression = suppression
        self._option_ids = OptionIds.of(types, definitions if names_no_ids(types) else {})
        self.names = LiveNames(types, definitions, suppression)
        self._shape = AssetShape.of(assets, types)
        self._kinds = kinds
        page = cutter_of(assets, ASSETS)
        self._cutter = Cutter(page.list_path, _key_paths(assets, ASSETS, ("id", "property", "type")))

    @classmethod
    def published(cls, reader: PublishedReader, overrides: Mapping[str, Any], suppression: Suppression) -> AssetAnswers:
        """By the shapes and types of a published file, and what propsync.toml says instead."""
        kinds: dict[str, dict[str, str]] = {}
        for type_id, field_id, kind in reader.rows(statement("push/kinds_of_fields"))[1]:
            kinds.setdefault(type_id, {})[field_id] = kind
        assets, types = _published_shapes(reader, overrides, ASSETS, ASSET_TYPES)
        definitions = dict(reader.rows(statement("push/definitions"))[1])
        return cls(assets, types, kinds, suppression, definitions)

    def cut(self, body: bytes) -> tuple[int | None, list[AssetReading]]:
        """The total and the assets of a page; those without an id, a property or a type are left out,
        and so are erased assets."""
        page = self._cutter.cut(self._suppression.json(body))
        found = ((self._cutter.key(record), record) for record in page.records)
        return page.total, [self._reading(key, record) for key, record in found if key]

    def _reading(self, key: tuple[str, ...], record: msgspec.Raw) -> AssetReading:
        asset_id, property_id, type_id = key
        return AssetReading(asset_id, property_id, type_id, self.values_of(record, type_id))

    @property
    def reads_values(self) -> bool:
        """Whether propsync knows where assets have their values: it has seen one."""
        return bool(self._shape.references)

    def may_write(self, type_id: str, field_id: str) -> bool:
        """Whether a write may have this field: none can have an image, a file or a pin."""
        kind = self._kinds.get(type_id, {}).get(field_id)
        return kind is None or kind in WRITABLE

    def written(self, entry: Entry) -> dict[str, Any]:
        """The new values of an entry by field, as a write has them (API §2.3). Raises InvalidValue."""
        return {one.field: self._option_ids.written(entry.type_id, one) for one in entry.changes}

    def values_of(self, record: bytes | msgspec.Raw, type_id: str) -> dict[str, Any]:
        """The values of one asset by field id."""
        return self._shape.values_of(record, self._kinds.get(type_id, {}))


class ScheduleAnswers:
    """Reads the answer to a request for one schedule (API §4.10)."""

    def __init__(self, shape: Shape, known: Mapping[Key, Mapping[str, Any]], hidden: Collection[str]) -> None:
        """By the shape of the list; `known` are the members of schedules that the tables show, without the hidden.

        The document shows the key of a single schedule (API §4.10), and not that of one in a list.
        """
        keys, documented = _key_paths(shape, SCHEDULES, SCHEDULES.key), _documented(SCHEDULES)
        of_one = tuple((*paths, *documented[part]) for part, paths in zip(SCHEDULES.key, keys, strict=True))
        self._cutter, self._page = Cutter(None, of_one), Cutter(cutter_of(shape, SCHEDULES).list_path, keys)
        self._known, self._hidden = known, hidden

    @classmethod
    def published(
        cls, reader: PublishedReader, overrides: Mapping[str, Any], plan: Plan, hidden: Collection[str]
    ) -> ScheduleAnswers:
        """By the shape and the schedules of a published file, and what propsync.toml says instead."""

        def rows(query: str, values: dict[str, Any]) -> list[tuple[Any, ...]]:
            return reader.rows(query, values)[1]

        keys = {one.key for one in plan.entries} if plan.resource == SCHEDULES.name else set()
        known = shown_values(rows, SCHEDULES.name, keys) if keys else {}
        (shape,) = _published_shapes(reader, overrides, SCHEDULES)
        return cls(shape, known, hidden)

    def members(self, answer: Answer, key: tuple[str, ...]) -> dict[str, Any] | None:
        """The members that the answer shows, None if there is no such schedule.

        A schedule inside of something else would look like one without any member, and a PUT would clear them all. So
        it raises UnexpectedAnswer for an answer without the key of the schedule.
        """
        if is_nothing(answer.body):
            return None
        if self._cutter.key(msgspec.Raw(answer.body)) != key:
            raise UnexpectedAnswer(str(answer.request), "the answer is not the schedule that propsync asked for")
        return schedule_values(answer.body)

    def listed(self, answer: Answer, key: tuple[str, ...]) -> dict[str, Any]:
        """The members that a page of the list shows of a schedule, none if it lacks it. Raises MalformedBody."""
        try:
            records = [] if is_nothing(answer.body) else self._page.cut(answer.body).records
            return next((schedule_values(one) or {} for one in records if self._page.key(one) == key), {})
        except (PayloadUnreadable, RecursionError) as error:
            raise MalformedBody(str(answer.request), f"the answer is not a page of schedules: {error}") from error

    def kept(self, key: tuple[str, ...], there: Mapping[str, Any]) -> dict[str, Any]:
        """The members that a PUT has, and others that the tables have or hide, from which the read-back comes."""
        known, named = self._known.get(key, {}), (*SCHEDULES.key, *SCHEDULES.dropped)
        seen = {*self._hidden, *(name for name, value in known.items() if not is_empty(value))}
        others = (name for name in there if name not in named and name in seen)
        return {name: there[name] for name in (*others, *MEMBERS) if name in there}

    def lacking(self, key: tuple[str, ...], there: Mapping[str, Any]) -> list[str]:
        """The members without a value in an answer that have one in the tables, and hidden ones that it lacks."""
        unseen = (name for name in self._hidden if name in MEMBERS and name not in there)
        return [*self._cleared(key, there), *unseen]

    def _cleared(self, key: tuple[str, ...], there: Mapping[str, Any]) -> list[str]:
        known = self._known.get(key, {})
        return [name for name in MEMBERS if is_empty(there.get(name)) and not is_empty(known.get(name))]

    def unshown(self, key: tuple[str, ...], there: Mapping[str, Any]) -> list[str]:
        """The members that an answer lacks, and that have a value in the tables: a PUT without them may clear them."""
        return [name for name in self._cleared(key, there) if name not in there]


@dataclass(frozen=True)
class Answers:
    """How propsync reads the records that it looks at before and between writes."""

    assets: AssetAnswers
    schedules: ScheduleAnswers

    def values_of(self, resource: str, record: bytes, type_id: str) -> Mapping[str, Any]:
        """The values of a whole record by field."""
        return self.assets.values_of(record, type_id) if resource == ASSETS.name else schedule_values(record) or {}

    @classmethod
    def published(
        cls,
        reader: PublishedReader,
        overrides: Mapping[str, Any],
        suppression: Suppression,
        plan: Plan,
        hidden: Collection[str],
    ) -> Answers:
        """For a plan: by the shapes of a published file, and what propsync.toml says instead and has `hidden`."""
        assets = AssetAnswers.published(reader, overrides, suppression)
        return cls(assets, ScheduleAnswers.published(reader, overrides, plan, hidden))


def _key_paths(shape: Shape, resource: Resource, parts: Sequence[str]) -> tuple[tuple[Path, ...], ...]:
    """Where a record has the parts of its key: under the documented names while nobody has seen a record."""
    documented = _documented(resource)
    return tuple(shape.paths(part) or documented[part] for part in parts)


def _documented(resource: Resource) -> dict[str, tuple[Path, ...]]:
    return {role.name: tuple((name,) for name in role.documented) for role in resource.roles}


def _published_shapes(reader: PublishedReader, overrides: Mapping[str, Any], *resources: Resource) -> list[Shape]:
    _, rows = reader.rows(statement("merge/shapes"))
    parts = {one.name: [row[1:] for row in rows if row[0] == one.name] for one in resources}
    stored = {name: stored_shape(name, of_one) for name, of_one in parts.items()}
    return [overridden(shape, configured(overrides, name, BUILT_IN)) for name, shape in stored.items()]
