"""The values of asset fields, as pools of JSON snippets in the manner of the sandbox's."""

from collections.abc import Callable
from datetime import date, timedelta
from random import Random

from benchmarks.estate.catalogue import Field
from benchmarks.estate.kinds import Kind
from benchmarks.estate.templates import Pool, always, as_json, pool, uid_pools
from propsync_sandbox import phrases

TODAY = date(2026, 3, 2)
_CONTENT = {"jpg": "image/jpeg", "pdf": "application/pdf"}
_NULL_SHARE = 0.02
_MISSING_SHARE = 0.03
DISTINCT = ("number", "date", "text")
"""The kinds with another value to pick in an edit."""


def field_pools(field: Field, rng: Random, kind: Kind, *, is_first: bool) -> list[Pool]:
    """The pools of one field; the first field of an asset is never missing, for the commas' sake."""
    comma = b"" if is_first else b","
    opening = comma + f'{{"type":"{field.kind}","field":"{field.id}","value":'.encode()
    if field.kind in ("image", "file"):
        return _file_pools(field, rng, opening)
    if field.kind == "qr":
        return [always(opening + b'"QR'), *_tag(uid_pools(rng)), always(b'"}')]
    return [pool(rng, lambda dice: _written(opening, field, dice, kind, is_first=is_first))]


def _written(opening: bytes, field: Field, rng: Random, kind: Kind, *, is_first: bool) -> bytes:
    share = rng.random()
    if share < _MISSING_SHARE and not is_first:
        return b""
    is_null = share < _MISSING_SHARE + _NULL_SHARE
    return opening + (b"null" if is_null else _VALUES[field.kind](field, rng, kind)) + b"}"


def _tag(halves: tuple[Pool, Pool]) -> list[Pool]:
    return [tuple(half[:8] for half in halves[0]), tuple(half[:4] for half in halves[1])]


def _file_pools(field: Field, rng: Random, opening: bytes) -> list[Pool]:
    """A name, an address that is no other file's, and a size."""
    ending = "jpg" if field.kind == "image" else "pdf"
    word = "-".join(field.label.lower().split()) or field.kind

    def begin(dice: Random) -> bytes:
        name = f"{word}-{dice.randrange(100_000):05d}.{ending}"
        return opening + f'{{"name":"{name}","url":"https://files.estate.invalid/{field.kind}/'.encode()

    def end(dice: Random) -> bytes:
        more = {"size": dice.randrange(20_000, 4_000_000), "contentType": _CONTENT[ending]}
        more |= {"uploadedAt": f"{a_day(dice, -2500, 0)}T09:{dice.randrange(60):02d}:00Z"}
        return f'.{ending}",'.encode() + as_json(more)[1:] + b"}"

    return [pool(rng, begin), *uid_pools(rng), pool(rng, end)]


def note(rng: Random, most: int) -> str:
    """A remark of that many sentences at most, hardly ever the same twice."""
    sentences = rng.sample(phrases.NOTES[:-1], rng.randrange(1, most + 1))
    return " ".join([*sentences, f"{rng.choice(phrases.LOCATIONS)}, job {rng.randrange(1_000_000):06d}."])


def _text(field: Field, rng: Random, kind: Kind) -> bytes:
    if "Location" in field.label or "Manufacturer" in field.label:
        return as_json(rng.choice(phrases.LOCATIONS + phrases.MAKERS) + f" {rng.randrange(1000)}")
    return as_json(note(rng, kind.text))


def _number(_field: Field, rng: Random, _kind: Kind) -> bytes:
    return as_json(rng.randrange(1, 4000) if rng.random() < 0.4 else round(rng.uniform(0, 200), 2))


def a_day(rng: Random, least: int, most: int) -> date:
    """That many days from the estate's day."""
    return TODAY + timedelta(days=rng.randrange(least, most))


def _date(_field: Field, rng: Random, _kind: Kind) -> bytes:
    return as_json(a_day(rng, -2500, 500).isoformat())


def _time(_field: Field, rng: Random, _kind: Kind) -> bytes:
    return as_json(f"{rng.randrange(24):02d}:{rng.randrange(0, 60, 5):02d}")


def _option(field: Field, rng: Random, kind: Kind) -> bytes:
    if kind.picked:
        return as_json(rng.sample(field.options, rng.choices(range(1, len(kind.picked) + 1), kind.picked)[0]))
    return as_json(rng.sample(field.options, rng.choice((1, 1, 1, min(2, len(field.options))))))


def _pin(_field: Field, rng: Random, _kind: Kind) -> bytes:
    x, y = round(rng.random(), 4), round(rng.random(), 4)
    return as_json({"x": x, "y": y, "plan": f"Plan {rng.randrange(1, 12)}"})


_VALUES: dict[str, Callable[[Field, Random, Kind], bytes]] = {
    "text": _text, "number": _number, "date": _date, "time": _time, "option": _option, "pin": _pin,
}  # fmt: skip
