"""One world in many dialects: each says in its own way what the API's document does not show.

A dialect re-shapes what `world_server` serves. Documented names (API §2 and §4) stay
in each.
"""

from __future__ import annotations

from random import Random
from typing import Any

from kit.world import Assessment, AssessmentType, Asset, AssetType, Field, Flag, Result, Schedule, World


class Dialect:
    """The plain one: lists under the resource's name, ids as strings, `field` and `value` in field results."""

    name = "plain"
    keeps_result_order = True

    def __init__(self, world: World) -> None:
        self.world = world

    def option(self, option_id: str, label: str) -> Any:
        return {"id": option_id, "label": label}

    def definition(self, one: Field) -> dict[str, Any]:
        told: dict[str, Any] = {"id": one.id, "type": one.kind, "label": one.label}
        if one.kind == "option":
            told["options"] = [self.option(*option) for option in one.options]
        return told

    def asset_type(self, one: AssetType) -> dict[str, Any]:
        definitions = [self.definition(defined) for defined in one.fields]
        return {"id": one.id, "name": one.name, "nameSingular": one.singular, "fields": definitions}

    def result(self, of_type: AssetType | None, one: Result) -> dict[str, Any]:
        return {"type": one.kind, "field": one.field, "value": one.value}

    def asset(self, one: Asset) -> dict[str, Any]:
        of_type = next((known for known in self.world.asset_types if known.id == one.type), None)
        results = [self.result(of_type, result) for result in one.results]
        return {"id": one.id, "property": one.property, "type": one.type, "fields": results} | one.extra

    def flag(self, one: Flag) -> dict[str, Any]:
        history = [{"at": at, "state": state} for at, state in one.history]
        return {"label": one.label, "raisedAt": one.raised_at, "history": history}

    def flags(self, flags: list[Any]) -> Any:
        return flags

    def assessment(self, one: Assessment) -> dict[str, Any]:
        return {
            "id": one.id,
            "property": one.property,
            "type": one.type,
            "status": one.status,
            "scheduleCustomReference": one.reference,
        } | one.extra

    def assessment_type(self, one: AssessmentType) -> Any:
        return {"id": one.id, "name": one.name}

    def schedule(self, one: Schedule) -> dict[str, Any]:
        return {
            "property": one.property,
            "asset": one.property,
            "type": one.type,
            "status": one.status,
            "dueDate": one.due,
            "description": one.description,
            "customReference": one.reference,
            "assignedUsers": list(one.users),
        } | one.extra

    def asset_types_body(self, types: list[Any]) -> Any:
        return {"type": types}  # documented (API §4.1)

    def assets_body(self, total: int, records: list[Any], types: list[Any]) -> Any:
        return {"total": total, "assets": records, "types": types}  # documented (API §4.2)

    def assessments_body(self, total: int, records: list[Any]) -> Any:
        return {"total": total, "assessments": records}

    def assessment_types_body(self, types: list[Any]) -> Any:
        return {"types": types}

    def schedules_body(self, total: int, records: list[Any]) -> Any:
        return {"total": total, "schedules": records}

    def said(self, value: Any) -> Any:
        """The last touch on a whole answer."""
        return value


class OtherListKeys(Dialect):
    """Records under other keys, also one object down, with other arrays beside them."""

    name = "other list keys"

    def assessments_body(self, total: int, records: list[Any]) -> Any:
        kinds = [self.assessment_type(one) for one in self.world.assessment_types]
        nowhere = [{"id": "a" * 8, "name": "Nowhere"}] * 3
        return {"types": kinds, "properties": nowhere, "total": total, "items": records}

    def assessment_types_body(self, types: list[Any]) -> Any:
        return {"links": ["self", "next"], "results": types}

    def schedules_body(self, total: int, records: list[Any]) -> Any:
        kinds = [self.assessment_type(one) for one in self.world.assessment_types]
        return {"total": total, "meta": {"n": len(records)}, "data": {"items": records}, "types": kinds}


class BareArrays(Dialect):
    """Lists that are nothing but an array, pages too, so that nothing tells a total."""

    name = "bare arrays"

    def assessments_body(self, total: int, records: list[Any]) -> Any:
        return records

    def assessment_types_body(self, types: list[Any]) -> Any:
        return types

    def schedules_body(self, total: int, records: list[Any]) -> Any:
        return records


class Objects(Dialect):
    """Objects hold the ids that could be plain."""

    name = "objects for ids"

    def result(self, of_type: AssetType | None, one: Result) -> dict[str, Any]:
        known = of_type.field(one.field) if of_type else None
        value = one.value
        if known is not None and one.kind == "option" and value is not None:
            labels = dict(known.options)
            value = [{"label": labels[chosen], "id": chosen} for chosen in value]
        return {"type": one.kind, "field": {"label": known and known.label, "id": one.field}, "value": value}

    def asset(self, one: Asset) -> dict[str, Any]:
        names = {known.id: known.name for known in self.world.asset_types}
        told = super().asset(one)
        told["property"] = {"name": "A property", "id": one.property}
        told["type"] = {"name": names[one.type], "id": one.type}
        return told

    def assessment(self, one: Assessment) -> dict[str, Any]:
        told = super().assessment(one)
        told["property"] = {"name": "A property", "id": one.property}
        told["type"] = {"id": one.type, "name": "A type"}
        told["status"] = {"colour": "red", "code": one.status}
        return told

    def schedule(self, one: Schedule) -> dict[str, Any]:
        told = super().schedule(one)
        told["property"] = {"id": one.property, "name": "A property"}
        told["asset"] = {"id": one.property}
        told["type"] = {"name": "A type", "id": one.type}
        return told


class NamedForTheirKind(Dialect):
    """Values under a member named for their kind, definitions in other words."""

    name = "values named for their kind"

    def option(self, option_id: str, label: str) -> Any:
        return {"caption": label, "key": option_id, "order": 1}

    def definition(self, one: Field) -> dict[str, Any]:
        told: dict[str, Any] = {"type": one.kind, "title": one.label, "required": False, "uid": one.id}
        if one.kind == "option":
            told["choices"] = [self.option(*option) for option in one.options]
        return told

    def result(self, of_type: AssetType | None, one: Result) -> dict[str, Any]:
        return {"type": one.kind, "fieldId": one.field, one.kind: one.value}


class NoStatus(Dialect):
    """Assessments that do not say their status: only the list that they are on does."""

    name = "no status in the assessment"

    def assessment(self, one: Assessment) -> dict[str, Any]:
        told = super().assessment(one)
        del told["status"]
        return told


class UnusualNames(Dialect):
    """Names that nobody would guess, an id one object down, the flags' history under another name."""

    name = "unusual names"

    def flag(self, one: Flag) -> dict[str, Any]:
        timeline = [{"at": at, "state": state} for at, state in one.history]
        return {"tags": ["a", "b"], "label": one.label, "timeline": timeline, "raisedAt": one.raised_at}

    def assessment(self, one: Assessment) -> dict[str, Any]:
        return {
            "createdOn": "2025-01-01",
            "scheduleCustomReference": one.reference,
            "form": one.type,
            "plot": one.property,
            "progress": one.status,
            "self": {"assessmentUid": one.id, "revision": 3},
        } | one.extra

    def assessment_type(self, one: AssessmentType) -> Any:
        return {"isActive": True, "title": one.name, "assessmentTypeUid": one.id}

    def definition(self, one: Field) -> dict[str, Any]:
        told: dict[str, Any] = {"ref": one.id, "type": one.kind, "question": one.label}
        if one.kind == "option":
            told["answers"] = [self.option(*option) for option in one.options]
        return told

    def result(self, of_type: AssetType | None, one: Result) -> dict[str, Any]:
        return {"ref": one.field, "type": one.kind, "content": one.value}


class Restless(Dialect):
    """Members and field results in another order, links signed again, at every request; `asset` alone in schedules."""

    name = "restless"
    keeps_result_order = False

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._rng = Random("restless")

    def result(self, of_type: AssetType | None, one: Result) -> dict[str, Any]:
        told = super().result(of_type, one)
        if isinstance(one.value, dict) and "url" in one.value:
            signature = f"{self._rng.getrandbits(64):x}"
            told["value"] = one.value | {"url": f"{one.value['url']}?signature={signature}"}
        return told

    def asset(self, one: Asset) -> dict[str, Any]:
        told = super().asset(one)
        self._rng.shuffle(told["fields"])
        return told

    def schedule(self, one: Schedule) -> dict[str, Any]:
        told = super().schedule(one)
        del told["property"]
        return told

    def said(self, value: Any) -> Any:
        if isinstance(value, dict):
            members = [(name, self.said(inner)) for name, inner in value.items()]
            self._rng.shuffle(members)
            return dict(members)
        return [self.said(inner) for inner in value] if isinstance(value, list) else value


class Keyed(Dialect):
    """Definitions, options, field results and flags as objects keyed by their ids."""

    name = "keyed by id"

    def definition(self, one: Field) -> dict[str, Any]:
        told = super().definition(one)
        del told["id"]
        if one.kind == "option":
            told["options"] = {option_id: {"label": label} for option_id, label in one.options}
        return told

    def asset_type(self, one: AssetType) -> dict[str, Any]:
        told = super().asset_type(one)
        told["fields"] = {defined.id: self.definition(defined) for defined in one.fields}
        return told

    def result(self, of_type: AssetType | None, one: Result) -> Any:
        return {"type": one.kind, "value": one.value}

    def asset(self, one: Asset) -> dict[str, Any]:
        told = super().asset(one)
        # PHP writes an empty object as an array
        told["fields"] = {result.field: told["fields"][place] for place, result in enumerate(one.results)} or []
        return told

    def flags(self, flags: list[Any]) -> Any:
        return {f"flag {place}": flag for place, flag in enumerate(flags)}


class KeyedValues(Keyed):
    """The same with values alone where the definition says the kind, options as labels by id, inner ids repeated."""

    name = "values keyed by id"

    def definition(self, one: Field) -> dict[str, Any]:
        told = super().definition(one) | {"id": one.id}
        if one.kind == "option":
            told["options"] = dict(one.options)
        return told

    def result(self, of_type: AssetType | None, one: Result) -> Any:
        return super().result(of_type, one) if one.kind in ("date", "time") else one.value


class TotalsOfNothing(OtherListKeys):
    """Every total is 0, whatever stands beside it."""

    name = "totals of nothing"

    def said(self, value: Any) -> Any:
        return value | {"total": 0} if isinstance(value, dict) and "total" in value else value


class TotalsOfThePage(Dialect):
    """Every total counts the records of its own page."""

    name = "totals of the page"

    def said(self, value: Any) -> Any:
        lists = [told for name, told in value.items() if name in ("assets", "assessments", "schedules")]
        return value | {"total": len(lists[0])} if lists else value


def is_changed(record: str) -> bool:
    """Whether a record has the newer of two forms: about half do."""
    return sum(record.encode()) % 2 == 1


class MixedValues(Dialect):
    """Several choices under `values`, and half of the other values under a member named for their kind."""

    name = "mixed values"

    def result(self, of_type: AssetType | None, one: Result) -> dict[str, Any]:
        told = super().result(of_type, one)
        if isinstance(one.value, list) and len(one.value) > 1:
            told["values"] = told.pop("value")
        elif is_changed(str(one.value)):
            told[f"{one.kind}Value"] = told.pop("value")
        return told


class NullValues(Dialect):
    """Half of the results have a null in place of their value, and the value under a member named for their kind."""

    name = "null values"

    def result(self, of_type: AssetType | None, one: Result) -> dict[str, Any]:
        told = super().result(of_type, one)
        return told | {"value": None, one.kind: one.value} if is_changed(str(one.value)) else told | {one.kind: None}


class NestedValues(Dialect):
    """Half of the values and nulls are in an object of their own."""

    name = "nested values"

    def result(self, of_type: AssetType | None, one: Result) -> dict[str, Any]:
        told = super().result(of_type, one)
        return told | {"value": {"value": one.value}} if is_changed(f"{one.field}{one.value}") else told


class MixedReferences(Dialect):
    """Half of the assets name their fields by `fieldId`, or by an object."""

    name = "mixed references"

    def result(self, of_type: AssetType | None, one: Result) -> dict[str, Any]:
        told = super().result(of_type, one)
        if is_changed(one.field):
            told["field"] = {"label": "L", "id": told["field"]}
        elif is_changed(str(one.value)):
            told["fieldId"] = told.pop("field")
        return told


class MixedDefinitions(Dialect):
    """Half of the definitions have a name, half of the lists are choices, and half of the options have a name."""

    name = "mixed definitions"

    def option(self, option_id: str, label: str) -> Any:
        return {"id": option_id, "name" if is_changed(option_id) else "label": label}

    def definition(self, one: Field) -> dict[str, Any]:
        told = super().definition(one)
        if is_changed(one.id):
            told["name"] = told.pop("label")
        if one.kind == "option" and is_changed(one.label):
            told["choices"] = told.pop("options")
        return told


class MixedRoles(Dialect):
    """Half of the assets and assessments have other names for their property and type, also beside a null, and half of
    the assessments another status.
    """

    name = "mixed roles"

    def asset(self, one: Asset) -> dict[str, Any]:
        told = super().asset(one)
        if is_changed(one.id):
            told["propertyId"] = told["property"]
            told["property"] = None
            told["typeId"] = told.pop("type")
        return told

    def assessment(self, one: Assessment) -> dict[str, Any]:
        told = super().assessment(one)
        if is_changed(one.id):
            told["propertyId"] = told.pop("property")
            told["type"] = {"name": "A type", "uid": one.type}
            told["state"] = told.pop("status")
        return told

    def assessment_type(self, one: AssessmentType) -> Any:
        return {"id": one.id, "title" if is_changed(one.id) else "name": one.name}


MIXED: tuple[type[Dialect], ...] = (
    MixedValues,
    NullValues,
    NestedValues,
    MixedReferences,
    MixedDefinitions,
    MixedRoles,
)
"""Dialects whose records have two forms."""

FAMILIES: tuple[type[Dialect], ...] = (
    Dialect,
    OtherListKeys,
    BareArrays,
    Objects,
    NamedForTheirKind,
    NoStatus,
    UnusualNames,
    Restless,
    Keyed,
    KeyedValues,
    TotalsOfNothing,
    TotalsOfThePage,
)
