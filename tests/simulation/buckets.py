"""Seeds of a kind that begins with `bucket` keep their home in a bucket; what happens to it is drawn apart."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

from propsync.bucket import lease
from propsync.errors import StorageAway
from propsync.runbooks import workplace

from .folder_bucket import KEYS, MUTATING, FolderBucket
from .kills import everywhere, moments
from .nights import Kill, Night

_LEASE_SECONDS = 0.6  # other machines wait for one of a killed run
_MOST_PUTS = 45  # a night's, roughly
_LIVES = ("one machine", "thrown away", "in turn")


@dataclass(frozen=True)
class Weather:
    """Requests to the bucket that fail in a run, by number: before they take effect, or `lost` after it.

    From `away` on the bucket answers nothing more.
    """

    failing: tuple[int, ...] = ()
    lost: tuple[int, ...] = ()
    away: int | None = None

    @classmethod
    def from_json(cls, told: Mapping[str, Any] | None) -> Weather | None:
        """As `asdict` gave it."""
        return None if told is None else cls(tuple(told["failing"]), tuple(told["lost"]), told["away"])

    def __str__(self) -> str:
        words = [f"request {one} fails" for one in self.failing] + [f"the answer to {one} is lost" for one in self.lost]
        return ", ".join([*words, *([f"away from {self.away} on"] if self.away is not None else [])])


@dataclass(frozen=True)
class BucketLife:
    """The machines of a seed, and the weather of its nights, by number."""

    seed: int
    machines: str
    weather: Mapping[int, Weather]

    @classmethod
    def of(cls, seed: int, nights: int, *, has_pushes: bool) -> BucketLife:
        """That of a seed. A plan is for the machine that sent it, so seeds with pushes have one alone."""
        dice = Random(f"bucket {seed}")
        machines = dice.choice(_LIVES)
        weather = {number: _weather(dice) for number in range(1, nights + 1) if dice.random() < 0.25}
        return cls(seed, _LIVES[0] if has_pushes else machines, weather)

    def change_machine(self, home: Path, runs: int, *, is_whole: bool) -> bool:
        """Throws the machine away, or lets the other one work with what it has; only if the bucket has it all."""
        is_time = Random(f"machine {self.seed} {runs}").random() < 0.6
        if self.machines == _LIVES[0] or not (is_time and is_whole and home.exists()):
            return False
        if self.machines == "thrown away":
            shutil.rmtree(home)
            return True
        other, aside = home.with_name("other"), home.with_name("moved")
        home.rename(aside)
        if other.exists():
            other.rename(home)
        aside.rename(other)
        return True

    def __str__(self) -> str:
        return "; ".join([self.machines, *(f"night {number}: {one}" for number, one in self.weather.items())])


def among_buckets(seed: int, nights: tuple[Night, ...]) -> tuple[Night, ...]:
    """The nights, of which many die at a request to the bucket."""
    dice = Random(f"puts {seed}")

    def killed(night: Night) -> Night:
        kill = Kill("put", 1 + int(dice.random() * _MOST_PUTS), dice.random() < 0.5)
        return replace(night, kill=kill) if dice.random() < 0.4 else night

    return tuple(map(killed, nights))


def bucket_of(home: Path) -> FolderBucket:
    """The bucket beside a home."""
    return FolderBucket(home.parent / "bucket")


def settings(home: Path) -> dict[str, str]:
    """The environment that names it."""
    return {"PROPSYNC_STORAGE_URL": f"s3://bucket{bucket_of(home).root}"} | KEYS


def _weather(dice: Random) -> Weather:
    how = dice.random()
    if how < 0.4:
        return Weather(away=dice.randint(1, 90))
    numbers = tuple(dice.sample(range(1, 90), dice.randint(1, 3)))
    return Weather(failing=numbers) if how < 0.7 else Weather(lost=numbers)


class _Sky:
    """Counts the requests of a run, and makes its weather."""

    def __init__(self) -> None:
        self._weather = Weather()
        self._count = 0
        self._lock = threading.Lock()

    def plan(self, weather: Weather | None) -> None:
        """Begins again."""
        self._weather, self._count = weather or Weather(), 0

    @contextmanager
    def around(self, verb: str, key: str) -> Iterator[None]:
        """The request of a thread that renews the lease comes at any moment, so it is not counted."""
        if key == lease.LEASE:
            if moments.is_dead or self._is_away():
                raise StorageAway(key, "it does not answer")
            yield
            return
        with self._lock:
            self._count += 1
            number = self._count
        if self._is_away() or number in self._weather.failing:
            raise StorageAway(key, "it does not answer")
        if verb in MUTATING:
            with moments.around("blob" if key.startswith("archive/") else "put"):
                yield
        else:
            yield
        if number in self._weather.lost:
            raise StorageAway(key, "its answer was lost")

    def _is_away(self) -> bool:
        return self._weather.away is not None and self._count >= self._weather.away


sky = _Sky()


def install() -> None:
    """Once in the life of a process: a folder is every bucket, and a lease is short."""
    lease.SECONDS = _LEASE_SECONDS

    def opened(access: Any, **_options: bool) -> FolderBucket:
        return FolderBucket(Path("/") / access.prefix, sky.around)

    everywhere(workplace.object_storage, opened)
