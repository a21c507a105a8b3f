"""The types of the estate: the sandbox's asset types and six more, each with ids for itself, its fields and options."""

from dataclasses import dataclass

from benchmarks.estate.dice import mixed, stream, uid
from propsync_sandbox.catalogue import FieldSketch, TypeSketch, asset_type_sketches
from propsync_sandbox.duties import ASSESSMENT_TYPES

_GATE = (
    "qr:Gate tag", "text:Location", "text:Manufacturer", "number:Width (mm)", "number:Closing force (N)",
    "number:Cycles a day", "date:Installed", "date:Force test due", "time:Locked from", "image:Photo",
    "file:Test certificate", "pin:Position on plan", "text:Notes",
)  # fmt: skip
_PUMP = (
    "qr:Pump tag", "text:Serial number", "number:Flow (l/s)", "number:Head (m)", "date:Last serviced",
    "date:Installed", "time:Test run at", "image:Data plate", "pin:Position on plan", "file:Service sheet",
    "text:Remarks", "text:Notes",
)  # fmt: skip
_FURTHER = (
    ("Vehicle gates", "Vehicle gate", 3, _GATE, "Drive", ("Ram", "Underground", "Sliding")),
    ("Roller shutters", "Roller shutter", 3, _GATE, "Control", ("Key", "Button", "Remote")),
    ("Sump pumps", "Sump pump", 3, _PUMP, "Alarm", ("None", "Local", "Monitored")),
    ("Booster sets", "Booster set", 4, _PUMP, "Duty", ("Single", "Duty and standby", "Rotating")),
    ("Heat interface units", "Heat interface unit", 12, _PUMP, "Meter", ("Pulse", "M-Bus", "None")),
    ("Door entry panels", "Door entry panel", 6, _GATE, "Reader", ("Fob", "Code", "Fob and code")),
)


@dataclass(frozen=True)
class Field:
    """A field as the API defines it; `options` are ids."""

    id: str
    kind: str
    label: str
    options: tuple[str, ...]
    definition: dict[str, object]


@dataclass(frozen=True)
class AssetType:
    """An asset type; `weight` is how common it is."""

    id: str
    weight: int
    fields: tuple[Field, ...]
    definition: dict[str, object]


class Ids:
    """One id after the other."""

    def __init__(self, seed: int) -> None:
        self._next = stream(seed, "types")

    def new(self) -> str:
        """One that was not given before."""
        self._next += 1
        return uid(mixed(self._next)).decode()


def asset_types(ids: Ids, options: int = 0) -> list[AssetType]:
    """Twenty, from seldom to very common; an option field has at least that many options."""
    return [_asset_type(sketch, ids, options) for sketch in (*asset_type_sketches(), *map(_sketch, _FURTHER))]


def assessment_types(ids: Ids) -> list[dict[str, object]]:
    """As the sandbox shows them, and one more."""
    return [{"id": ids.new(), "name": name, "isActive": True} for name in (*ASSESSMENT_TYPES, "PAT testing")]


def _sketch(further: tuple[str, str, int, tuple[str, ...], str, tuple[str, ...]]) -> TypeSketch:
    name, singular, weight, labelled, option_label, options = further
    kinds_and_labels = (field.split(":") for field in labelled)
    fields = [FieldSketch(kind, label) for kind, label in kinds_and_labels]
    return TypeSketch(name, singular, weight, (*fields[:4], FieldSketch("option", option_label, options), *fields[4:]))


def _asset_type(sketch: TypeSketch, ids: Ids, options: int) -> AssetType:
    type_id = ids.new()
    fields = tuple(_field(field, ids, options) for field in sketch.fields)
    definition: dict[str, object] = {"id": type_id, "name": sketch.name, "nameSingular": sketch.name_singular}
    return AssetType(type_id, sketch.weight, fields, definition | {"fields": [field.definition for field in fields]})


def _field(sketch: FieldSketch, ids: Ids, least: int) -> Field:
    definition: dict[str, object] = {"id": ids.new(), "type": sketch.kind, "label": sketch.label}
    further = (f"Answer {place}" for place in range(len(sketch.options) + 1, least + 1)) if sketch.options else ()
    options = [{"id": ids.new(), "label": label} for label in (*sketch.options, *further)]
    if options:
        definition["options"] = options
    return Field(
        str(definition["id"]), sketch.kind, sketch.label, tuple(option["id"] for option in options), definition
    )
