"""Current tables: what history says, and after a quiet run the world itself."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from typing import Any

from propsync_sandbox import RESOURCES, Record, World
from propsync_sandbox.world import PROPERTIES

from ..statuses import ASKED
from .canonical import canonical
from .problems import Problems
from .published import KEYS, Published

_FACTS = {"assets": "null", "assessments": "status, performed_for, performed_by", "schedules": "status"}
_FACTS |= {PROPERTIES: "null"}


def check_keys(found: Published, problems: Problems) -> None:
    """No key twice, and current tables are the open versions that are no tombstones."""
    for resource in found.resources:
        rows = [(key, payload) for key, (payload,) in found.current(resource, "payload")]
        twice = [key for key, count in Counter(key for key, _ in rows).items() if count > 1]
        problems.expect(not twice, "no key twice", resource, twice)
        versions = found.history(resource)
        still = {key: of[-1].payload for key, of in versions.items() if of[-1].change not in ("delete", "erase")}
        differing = sorted({str(key) for key, _ in set(rows) ^ set(still.items())})
        problems.expect(not differing, "current tables are the open versions", resource, differing)


class Present:
    """Compares what is published after a quiet run with the world."""

    def __init__(self, world: World, problems: Problems, *, page_limit: int, documents_allowed: bool) -> None:
        self._world = world
        self._problems = problems
        self._page_limit = page_limit
        self._documents_allowed = documents_allowed
        self.is_settled = True
        """Whether one more quiet run has nothing to find: no row had to wait for its turn, no record is unknown."""

    def check(self, found: Published, *, is_list_named: bool = True) -> None:
        """Every record, and the tables made of it; not of a further list that propsync.toml no longer names."""
        for resource in self._world.resources if is_list_named else RESOURCES:
            self._check_resource(found, resource)
        self._check_places(found)
        self._check_values(found)
        self._check_wide(found)
        self._check_types(found)

    def _check_resource(self, found: Published, resource: str) -> None:
        rows = dict(found.current(resource, f"payload, {_FACTS[resource]}"))
        asked = ASKED.get(resource)
        truth = {one.key: one for one in self._world.shelf(resource).records()}
        hidden = {key for key, one in truth.items() if asked and one.status not in asked}
        unseen = [key for key, (_, status, *_) in rows.items() if asked and status not in asked]
        is_turn_due = len(unseen) <= self._page_limit  # such rows are looked up again, a page of them a night
        # a status that this run met joins the lists of the next one, which may show records never seen before
        self.is_settled = self.is_settled and is_turn_due and not hidden - rows.keys()
        for key in truth.keys() - rows.keys() - hidden:
            self._problems.add("tables = world", resource, key, "is missing", truth[key].body.decode())
        for key, (payload, *facts) in rows.items():
            if key not in truth:
                if is_turn_due or key not in unseen:
                    self._problems.add("tables = world", resource, key, "is gone from the world", *facts)
            elif key in hidden:
                self._check_hidden(resource, truth[key], payload, facts, is_turn_due=is_turn_due)
            else:
                self._check_same(resource, truth[key], payload, facts)

    def _check_same(self, resource: str, record: Record, payload: str, facts: list[Any]) -> None:
        same = canonical(resource, payload) == canonical(resource, record.shown(with_flags=True))
        self._problems.expect(same, "tables = world", resource, record.key, payload, "≠", record.body.decode())
        told: list[Any] = [None] if _FACTS[resource] == "null" else [record.status]
        if resource == "assessments":
            told += [side in record.performed for side in ("For", "By")]
        self._problems.expect(facts == told, "tables = world", resource, record.key, facts, "≠", told)

    def _check_hidden(
        self, resource: str, record: Record, payload: str, facts: list[Any], *, is_turn_due: bool
    ) -> None:
        """A record in a status that nobody asks for: an assessment keeps its row without a status, a schedule shows."""
        if resource == "schedules":
            if is_turn_due:
                self._check_same(resource, record, payload, facts)
            return
        self._problems.expect(facts[0] is None, "a row of unknown status has none", record.key, facts)
        self._problems.expect(self._documents_allowed, "only a document speaks for a hidden assessment", record.key)

    def _check_places(self, found: Published) -> None:
        """Columns made of the payload."""
        for resource, type_column in (("assets", "asset_type_id"), ("assessments", "assessment_type_id")):
            for key, (payload, place, kind) in found.current(resource, f"payload, property_id, {type_column}"):
                record = canonical(resource, payload)
                same = (place, kind) == (record["property"], record["type"])
                self._problems.expect(same, "columns say what the payload says", resource, key, place, kind)

    def _check_values(self, found: Published) -> None:
        expected = Counter(
            (key, *_value(result))
            for key, (payload,) in found.current("assets", "payload")
            for result in canonical("assets", payload)["fields"].values()
        )
        rows = Counter(found.rows("select asset_id, field_id, kind, value_text, value_number from asset_field_values"))
        differing = list((expected - rows).items())[:3] + list((rows - expected).items())[:3]
        self._problems.expect(not differing, "values are those of the payloads", differing)

    def _check_wide(self, found: Published) -> None:
        assets = {key: kind for key, (kind,) in found.current("assets", "asset_type_id")}
        for kind, table in found.rows("select asset_type_id, table_name from asset_types"):
            if table is not None:
                shown = Counter(key for (key,) in found.rows(f'select asset_id from by_type."{table}"'))
                wanted = Counter(key for key, of in assets.items() if of == kind)
                self._problems.expect(shown == wanted, "a type's table has its assets", table, shown, "≠", wanted)

    def _check_types(self, found: Published) -> None:
        books = {"asset_types": self._world.asset_types, "assessment_types": self._world.assessment_types}
        for resource, book in books.items():
            names = {kind["id"]: kind["name"] for kind in book.truth()}
            key = KEYS[resource][0]
            shown = dict(found.rows(f"select {key}, name from main.{resource} where is_listed"))
            self._problems.expect(shown == names, "types = world", resource, shown, "≠", names)
        labels = {
            (kind["id"], field["id"]): field["label"]
            for kind in self._world.asset_types.truth()
            for field in kind["fields"]
        }
        rows = found.rows("select asset_type_id, field_id, label from asset_type_fields")
        shown_labels = {(kind, field): label for kind, field, label in rows}
        wrong = {place: (shown_labels.get(place), label) for place, label in labels.items()}
        wrong = {place: both for place, both in wrong.items() if both[0] != both[1]}
        self._problems.expect(not wrong, "labels = world", wrong)


def _value(result: dict[str, Any]) -> tuple[Any, ...]:
    """A field result's row: field, kind, exact text of a scalar, number."""
    value, kind = result["value"], result["type"]
    is_number = isinstance(value, int | Decimal)
    text = str(value) if is_number or isinstance(value, str) else None
    return result["field"], kind, text, float(value) if is_number else None
