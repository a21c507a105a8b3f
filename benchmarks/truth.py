"""The case `truth`: what is wrong in a table after nights of a list that moves while it is read, then a quiet one.

The sandbox lists the newest assets first, at most a hundred a page. Ahead of each answer somebody edits, deletes or
adds a few. Each contestant reads a world of its own, which begins the same; the truth is the world's own log.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from random import Random

import duckdb

from benchmarks import programs
from benchmarks.cases import MERGE, PROPSYNC, SCD2
from benchmarks.measured import Read, today, versions
from propsync_sandbox import Key, Record, Sandbox, World
from propsync_sandbox.exchange import Request

ASSETS, PAGE, NIGHTS = 3_000, 100, 5
SEED = 19
_BURSTS = 10  # of each kind, in a night
_SHARE = 125  # a burst changes at most one asset of that many
_DELETE_LIMIT = "0.1"
ABOUT = f"""
{NIGHTS} nights of a list that moves while it is read, then a quiet one. The sandbox lists {ASSETS:,} assets, the newest
first, {PAGE} a page. In each night somebody edits, deletes or adds up to {ASSETS // _SHARE} assets {3 * _BURSTS} times,
each time ahead of an answer; the nights are the same for all who read. Lost: an asset that stood all night, but whose
row is missing, or shows nothing that the list showed that night. Doubled: a further row of an asset. Deleted, yet
there: an asset with a row that somebody deleted before the night began. dlt reads until a page is empty, as its
documentation begins. A night deletes 4 % of the assets, so propsync runs with `PROPSYNC_DELETE_LIMIT={_DELETE_LIMIT}`.
"""
Rows = list[tuple[str, int]]
"""The id of each row, and the revision that it shows."""


@dataclass(frozen=True)
class _Contestant:
    """`read` reads a night into a folder, and returns the versions of its libraries."""

    read: Callable[[Sandbox, Path], str]
    warehouse: str
    query: str

    def rows(self, folder: Path) -> Rows:
        """What its table has."""
        with duckdb.connect(folder / self.warehouse, read_only=True) as connection:
            return connection.execute(self.query).fetchall()


def _propsync(sandbox: Sandbox, folder: Path) -> str:
    programs.sync_what_moves(sandbox, folder, _DELETE_LIMIT)
    return versions()


def _dlt(disposition: str) -> Callable[[Sandbox, Path], str]:
    return lambda sandbox, folder: programs.dlt_begun(disposition, sandbox, folder, PAGE).said.strip()


_OURS = {PROPSYNC: _Contestant(_propsync, "published/warehouse.duckdb", "select asset_id, revision from assets")}
_SHOWN = "select id, revision from estate.assets"
_PEERS = {
    MERGE: _Contestant(_dlt("merge"), "warehouse.duckdb", _SHOWN),
    SCD2: _Contestant(_dlt("scd2"), "warehouse.duckdb", f"{_SHOWN} where _dlt_valid_to is null"),
}


class Night:
    """The revisions of each asset that the list showed from now on."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._past = len(world.changes)
        self.shown = {str(record.key): {_revision(record)} for record in world.assets.records()}

    def wrong(self, rows: Rows) -> tuple[int, int, int]:
        """How many are lost, doubled, and deleted yet there."""
        began, ended = {*self.shown}, {str(record.key) for record in self._world.assets.records()}
        came = set[str]()
        for change in list(self._world.changes)[self._past :]:
            if change.resource == "assets" and change.after:
                self.shown.setdefault(str(change.record.key), set()).add(_revision(change.after))
                came.add(str(change.record.key))
        right = {key for key, revision in rows if revision in self.shown.get(key, ())}
        many = Counter(key for key, _ in rows)
        return len((began & ended) - right), len(rows) - len(many), len(many.keys() - began - came)


def _revision(record: Record) -> int:
    """0 for an asset that the mover has not finished yet, which nobody sees."""
    return int(record.members().get("revision", 0))


class Mover:
    """Changes one world night by night: a burst of changes ahead of each answer that shows assets.

    Each change gives an asset a new revision. The bursts that are left when a reader is done come then.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self._rng = Random(f"mover {world.seed}")
        self._most = max(2, len(world.assets) // _SHARE)
        self._revisions = count(1)
        self._ahead: list[str] = []
        for record in world.assets.records():
            self._revise(record.key)

    @contextmanager
    def night(self) -> Iterator[None]:
        """Begins a night of changes; ends it when the block ends."""
        self._ahead = ["edit", "delete", "add"] * _BURSTS
        self._rng.shuffle(self._ahead)
        yield
        while self._ahead:
            self._burst(self._ahead.pop())

    def move(self, request: Request) -> None:
        """The next burst."""
        if self._ahead and request.path == "/properties/assets":
            self._burst(self._ahead.pop())

    def _burst(self, kind: str) -> None:
        assets, many = self._world.assets, self._rng.randint(1, self._most)
        for key in self._rng.sample(assets.keys(), many) if kind != "add" else ():
            if kind == "edit":
                self._revise(key)
            else:
                assets.delete(key)
        for _ in range(many if kind == "add" else 0):
            self._revise(assets.add(rng=self._rng))

    def _revise(self, key: Key) -> None:
        self._world.assets.set_members(str(key), revision=next(self._revisions))


def tried(folder: Path, assets: int = ASSETS, nights: int = NIGHTS, *, with_dlt: bool = True) -> list[Read]:
    """All contestants after each night; without dlt propsync alone."""
    contestants = _OURS | (_PEERS if with_dlt else {})
    return [read for name, one in contestants.items() for read in _reads(name, one, folder / name, assets, nights)]


def _reads(name: str, contestant: _Contestant, folder: Path, assets: int, nights: int) -> Iterator[Read]:
    world = World(SEED, assets)
    mover = Mover(world)
    with Sandbox(world=world, order="newest", page=PAGE, before=mover.move) as sandbox:
        for number in range(1, nights + 2):
            night = Night(world)
            with mover.night() if number <= nights else nullcontext():
                used = contestant.read(sandbox, folder)
            lost, doubled, remained = night.wrong(contestant.rows(folder))
            read = Read(name, number, lost, doubled, remained, today(), used)
            print(f"truth · night {number} · {name}: {lost} lost, {doubled} doubled, {remained} remained", flush=True)
            yield read


def in_three_lines(reads: Sequence[Read]) -> list[str]:
    """A row for each contestant: the lost of all nights, and the doubled and deleted that its table has at the end."""
    rows = []
    for name in (PROPSYNC, MERGE, SCD2):
        found = [read for read in reads if read.contestant == name]
        lost = sum(read.lost for read in found)
        rows += [f"| {name} | {lost} | {found[-1].doubled} | {found[-1].remained} |"] if found else []
    return rows
