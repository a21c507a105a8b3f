"""Writes the page files of a night."""

from collections.abc import Iterable, Iterator
from itertools import islice
from math import gcd
from pathlib import Path
from random import Random

from benchmarks.estate import catalogue
from benchmarks.estate.dice import mixed, stream, uid
from benchmarks.estate.inspections import assessment_templates, schedule_template
from benchmarks.estate.kinds import KINDS, Kind
from benchmarks.estate.snippets import DISTINCT, field_pools
from benchmarks.estate.templates import POOL, Pool, Template, as_json
from benchmarks.estate.turnover import Turnover

PAGE = 1000
PERFORMED = {"for": (0, 1, 2, 3, 4, 5, 9), "by": (6, 7, 8, 9), "combined": tuple(range(10))}
"""The lists of assessments, by the last digit of a record's number: one of ten has both values of `performed`."""
Records = Iterable[bytes]


class Estate:
    """That many assets, half as many assessments and schedules, a tenth as many properties.

    It is the same for each seed and kind.
    """

    def __init__(self, scale: int, seed: int = 7, kind: str = "plain") -> None:
        self.scale = scale
        self.kind = KINDS[kind]
        rng, ids = Random(f"estate {seed}"), catalogue.Ids(seed)
        types = catalogue.asset_types(ids, self.kind.options)
        self.asset_types = as_json([one.definition for one in types])
        self.assessment_types = catalogue.assessment_types(ids)
        self._type_ids = [str(one["id"]) for one in self.assessment_types]
        self._properties = [uid(mixed(stream(seed, "properties") + place)) for place in range(max(10, scale // 10))]
        made = [(_head(one), _asset_template(rng, one, self.kind)) for one in types]
        weights = [one.weight for one in types]
        self._asset_kinds = tuple(rng.choices(made, weights, k=POOL))
        self._inspections = assessment_templates(rng, self._type_ids, self.kind)
        self._schedule = schedule_template(rng, self.kind)
        self._pairs = Pairs(self._properties, self._type_ids)
        counts = {"assets": scale, "assessments": scale // 2, "schedules": scale // 2}
        self._turnover = {name: Turnover(stream(seed, name), count) for name, count in counts.items()}

    def write(self, folder: Path, night: int = 0) -> None:
        """Writes every list as it is after that many nights."""
        _write(folder / "properties/assets/types.json", b'{"type":' + self.asset_types + b"}")
        _write(folder / "assessments/types.json", b'{"types":' + as_json(self.assessment_types) + b"}")
        beside = b',"types":' + self.asset_types
        _write_list(folder / "assets/all", "assets", self._count("assets", night), self._assets(night), beside)
        for name, digits in PERFORMED.items():
            total, records = self._count("assessments", night, digits), self._assessments(night, digits)
            if name == "combined":  # clients ask only for the total of this one
                _write(folder / "assessments/combined/1/1.json", _page("assessments", total, islice(records, 1)))
            else:
                _write_list(folder / "assessments" / name, "assessments", total, records)
        _write_list(folder / "schedules/all", "schedules", self._count("schedules", night), self._schedules(night))
        for name in ("assets", "assessments", "schedules"):
            _write(folder / name / "nothing.json", _page(name, 0, ()))
            for gone in self._gone(name, night):
                _write(folder / name / "gone" / gone, b"")

    def _count(self, resource: str, night: int, digits: tuple[int, ...] = tuple(range(10))) -> int:
        return sum(record % 10 in digits for record, _ in self._turnover[resource].living(night))

    def _gone(self, resource: str, night: int) -> Iterator[str]:
        """The ids of the records that are gone; property and type of schedules."""
        turnover = self._turnover[resource]
        for record in turnover.gone(night):
            yield (
                "/".join(self._pairs.of(record))
                if resource == "schedules"
                else uid(mixed(turnover.stream + record)).decode()
            )

    def _assets(self, night: int) -> Iterator[bytes]:
        turnover, kinds, properties = self._turnover["assets"], self._asset_kinds, self._properties
        for record, edit in turnover.living(night):
            number = mixed(turnover.stream + record)
            middle, template = kinds[number & POOL - 1]
            place = properties[(number >> 10) % len(properties)]
            yield b"".join((b'{"id":"', uid(number), b'","property":"', place, middle, template.render(number, edit)))

    def _assessments(self, night: int, digits: tuple[int, ...]) -> Iterator[bytes]:
        turnover, properties = self._turnover["assessments"], self._properties
        for record, edit in turnover.living(night):
            if record % 10 in digits:
                number = mixed(turnover.stream + record)
                place = properties[(number >> 10) % len(properties)]
                rest = self._inspections[number % len(self._inspections)].render(number, edit)
                yield b"".join((b'{"id":"', uid(number), b'","property":"', place, b'",', rest))

    def _schedules(self, night: int) -> Iterator[bytes]:
        turnover = self._turnover["schedules"]
        for record, edit in turnover.living(night):
            yield self._pairs.head(record) + self._schedule.render(mixed(turnover.stream + record), edit)


class Pairs:
    """The keys of schedules: all possible pairs, each once, in an apparently random order."""

    def __init__(self, properties: list[bytes], type_ids: list[str]) -> None:
        self._properties = properties
        self._types = [type_id.encode() for type_id in type_ids]
        self._many = len(properties) * len(type_ids)
        self._step = next(step for step in range(int(self._many * 0.618), self._many) if gcd(step, self._many) == 1)

    def head(self, record: int) -> bytes:
        """How the record of a number begins."""
        held, kind = map(str.encode, self.of(record))
        return b"".join((b'{"property":"', held, b'","asset":"', held, b'","type":"', kind, b'","status":"'))

    def of(self, record: int) -> tuple[str, str]:
        """The property and the type of the record of a number."""
        place, kind = divmod(record * self._step % self._many, len(self._types))
        return self._properties[place].decode(), self._types[kind].decode()


def _head(asset_type: catalogue.AssetType) -> bytes:
    return b'","type":"%s","fields":[' % asset_type.id.encode()


def _asset_template(rng: Random, asset_type: catalogue.AssetType, kind: Kind) -> Template:
    pools: list[Pool] = []
    editable: list[int] = []
    for place, field in enumerate(asset_type.fields):
        more = field_pools(field, rng, kind, is_first=place == 0)
        if field.kind in DISTINCT:
            editable.append(len(pools))
        pools += more
    pools[-1] = tuple(snippet + b"]}" for snippet in pools[-1])
    return Template.of(rng, pools, editable)


def _write_list(folder: Path, member: str, total: int, records: Iterator[bytes], beside: bytes = b"") -> None:
    """Its pages, and one more that is empty."""
    for number in range(1, -(-total // PAGE) + 2):
        _write(folder / str(PAGE) / f"{number}.json", _page(member, total, islice(records, PAGE), beside))


def _page(member: str, total: int, records: Records, beside: bytes = b"") -> bytes:
    return b'{"total":%d,"%s":[%s]%s}' % (total, member.encode(), b",".join(records), beside)


def _write(path: Path, body: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(body)
