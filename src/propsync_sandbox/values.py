"""Made-up values of asset fields, one maker a kind (kinds of API §2.2). What a field holds follows from its label."""

from collections.abc import Callable, Sequence
from datetime import date, timedelta
from decimal import Decimal
from functools import cached_property
from random import Random
from typing import Any

from . import phrases
from .identity import new_uid
from .jsontext import JsonObject
from .likely import CHOICES, FILLED, MULTIPLE, NUMBERS, PICKED, TEXTS, WEIGHTED

FILES_URL = "https://files.sandbox.invalid"
_RENAMED = " (v"
_YEAR = 365


class Past:
    """The dates of one asset, which agree with each other; made up when a field first needs one."""

    def __init__(self, rng: Random, today: date) -> None:
        self.rng = rng
        self.today = today

    @cached_property
    def installed(self) -> date:
        return self.today - timedelta(days=int(self.rng.triangular(20, 12_000, 2_000)))

    @cached_property
    def seen(self) -> date:
        """The last visit."""
        return max(self.installed, self.today - timedelta(days=self.rng.randrange(0, 400)))

    @cached_property
    def due(self) -> date:
        return self.seen + timedelta(days=_YEAR)


def first_label(label: str) -> str:
    """The label without the version that nights of renaming add."""
    return label.partition(_RENAMED)[0]


def _text(definition: JsonObject, rng: Random, _past: Past) -> object:
    label = first_label(definition["label"])
    if label in ("Serial number", "Reference"):
        return f"SN-{rng.randrange(10**7):07d}"
    if label == "Flat":
        return f"Flat {rng.randrange(1, 90)}{rng.choice(('', '', 'A', 'B'))}"
    return rng.choice(TEXTS.get(label, phrases.NOTES))


def _number(definition: JsonObject, rng: Random, past: Past) -> object:
    """Whole numbers, and decimals with the trailing zero that people type."""
    label = first_label(definition["label"])
    if label == "Replacement year":
        return past.installed.year + rng.choice((15, 20, 20, 25))
    if label in PICKED:
        return rng.choice(PICKED[label])
    if label not in NUMBERS:
        return rng.randrange(0, 3000) if rng.random() < 0.5 else Decimal(rng.randrange(-500, 20000)).scaleb(-2)
    least, most, decimals = NUMBERS[label]
    drawn = rng.randrange(least, most)
    return Decimal(drawn).scaleb(-decimals) if decimals else drawn


def is_due(label: str) -> bool:
    return label.endswith(" due")


def is_seen(label: str) -> bool:
    """Whether the field has the date of the last visit."""
    return label.startswith("Last ") or label == "Pressure tested"


def _date(definition: JsonObject, rng: Random, past: Past) -> object:
    label = first_label(definition["label"])
    if label == "Date installed":
        return past.installed.isoformat()
    if is_seen(label):
        return past.seen.isoformat()
    if is_due(label):
        return past.due.isoformat()
    return (past.today - timedelta(days=rng.randrange(-200, 1800))).isoformat()


def _time(_definition: JsonObject, rng: Random, _past: Past) -> object:
    return f"{rng.randrange(24):02d}:{rng.randrange(0, 60, 5):02d}"


def _upload(folder: str, suffix: str, rng: Random) -> object:
    upload_id = new_uid(rng)
    name = f"{folder}-{rng.randrange(10**5):05d}.{suffix}"
    return {"name": name, "url": f"{FILES_URL}/{folder}/{upload_id}.{suffix}", "size": rng.randrange(2_000, 4_000_000)}


def _image(_definition: JsonObject, rng: Random, _past: Past) -> object:
    return _upload("image", "jpg", rng)


def _file(_definition: JsonObject, rng: Random, _past: Past) -> object:
    return _upload("certificate", "pdf", rng)


def _option(definition: JsonObject, rng: Random, _past: Past) -> object:
    """An array of option ids, mostly one; none or several where several make sense."""
    options = definition["options"]
    label = first_label(definition["label"])
    if label in MULTIPLE:
        return _several(options, rng, *MULTIPLE[label])
    if label in WEIGHTED:
        return [rng.choices(options, [CHOICES.get(one["label"], 10) for one in options])[0]["id"]]
    return _several(options, rng, 3, 85, 12)


def _several(options: Sequence[JsonObject], rng: Random, none: int, one: int, two: int) -> list[str]:
    how_many = rng.choices((1, 2, 0), (one, two, none))[0]
    return rng.sample([option["id"] for option in options], min(how_many, len(options)))


def _pin(_definition: JsonObject, rng: Random, _past: Past) -> object:
    return {"x": round(rng.random(), 4), "y": round(rng.random(), 4), "plan": f"Plan {rng.randrange(1, 12)}"}


def _qr(_definition: JsonObject, rng: Random, _past: Past) -> object:
    return f"QR{rng.randrange(16**8):08X}"


_MAKERS: dict[str, Callable[[JsonObject, Random, Past], Any]] = {
    "text": _text,
    "number": _number,
    "date": _date,
    "time": _time,
    "image": _image,
    "file": _file,
    "option": _option,
    "pin": _pin,
    "qr": _qr,
}
KINDS = tuple(_MAKERS)
_FILLED = 0.95
_MISSING = 0.3
_EMPTY: dict[str, Any] = {"text": "", "option": []}


def made_up_value(definition: JsonObject, rng: Random, today: date, past: Past | None = None) -> Any:
    return _MAKERS[definition["type"]](definition, rng, past or Past(rng, today))


def made_up_results(definitions: Sequence[JsonObject], rng: Random, today: date) -> list[JsonObject]:
    """Most fields have a value. Of the others, some show null, some an empty text or list, and some are missing."""
    past = Past(rng, today)
    results = []
    for definition in definitions:
        empty, kind = rng.random(), definition["type"]
        share = 1 - FILLED.get(definition["label"], _FILLED)
        if empty > share:
            results.append(field_result(definition, _MAKERS[kind](definition, rng, past)))
        elif empty > share * 0.6:
            results.append(field_result(definition, None))
        elif empty > share * _MISSING and kind in _EMPTY and definition["label"] in FILLED:
            results.append(field_result(definition, _EMPTY[kind]))
    return results


def field_result(definition: JsonObject, value: object) -> JsonObject:
    """A field result (API §2.2). Members other than `type` are not shown there: here `field` and `value`."""
    return {"type": definition["type"], "field": definition["id"], "value": value}
