"""Made-up values of asset fields, one maker a kind (kinds of spec 2.2)."""

from collections.abc import Callable
from datetime import date, timedelta
from decimal import Decimal
from random import Random
from typing import Any

from . import phrases
from .identity import new_uid
from .jsontext import JsonObject

FILES_URL = "https://files.sandbox.invalid"
_TEXTS = {
    "Location": phrases.LOCATIONS,
    "Lleoliad": phrases.LOCATIONS,
    "Lokalizacja zbiornika": phrases.LOCATIONS,
    "Location of valve set": phrases.LOCATIONS,
    "Manufacturer": phrases.MAKERS,
}


def _text(definition: JsonObject, rng: Random, _today: date) -> object:
    label = definition["label"]
    if label in ("Serial number", "Reference"):
        return f"SN-{rng.randrange(10**7):07d}"
    if label == "Flat":
        return f"Flat {rng.randrange(1, 90)}{rng.choice(('', '', 'A', 'B'))}"
    return rng.choice(_TEXTS.get(label, phrases.NOTES))


def _number(_definition: JsonObject, rng: Random, _today: date) -> object:
    """Whole numbers, and decimals with the trailing zero that people type."""
    if rng.random() < 0.5:
        return rng.randrange(0, 3000)
    return Decimal(rng.randrange(-500, 20000)).scaleb(-2)


def _date(_definition: JsonObject, rng: Random, today: date) -> object:
    return (today - timedelta(days=rng.randrange(-200, 1800))).isoformat()


def _time(_definition: JsonObject, rng: Random, _today: date) -> object:
    return f"{rng.randrange(24):02d}:{rng.randrange(0, 60, 5):02d}"


def _upload(folder: str, suffix: str, rng: Random) -> object:
    upload_id = new_uid(rng)
    name = f"{folder}-{rng.randrange(10**5):05d}.{suffix}"
    return {"name": name, "url": f"{FILES_URL}/{folder}/{upload_id}.{suffix}", "size": rng.randrange(2_000, 4_000_000)}


def _image(_definition: JsonObject, rng: Random, _today: date) -> object:
    return _upload("image", "jpg", rng)


def _file(_definition: JsonObject, rng: Random, _today: date) -> object:
    return _upload("certificate", "pdf", rng)


def _option(definition: JsonObject, rng: Random, _today: date) -> object:
    """An array of option ids, mostly one, sometimes several or none."""
    ids = [option["id"] for option in definition["options"]]
    how_many = rng.choices((1, 2, 0), (85, 12, 3))[0]
    return rng.sample(ids, min(how_many, len(ids)))


def _pin(_definition: JsonObject, rng: Random, _today: date) -> object:
    return {"x": round(rng.random(), 4), "y": round(rng.random(), 4), "plan": f"Plan {rng.randrange(1, 12)}"}


def _qr(_definition: JsonObject, rng: Random, _today: date) -> object:
    return f"QR{rng.randrange(16**8):08X}"


_MAKERS: dict[str, Callable[[JsonObject, Random, date], Any]] = {
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


def made_up_value(definition: JsonObject, rng: Random, today: date) -> Any:
    return _MAKERS[definition["type"]](definition, rng, today)


def field_result(definition: JsonObject, value: object) -> JsonObject:
    """A field result (spec 2.2). Members other than `type` are not shown there: here `field` and `value`."""
    return {"type": definition["type"], "field": definition["id"], "value": value}
