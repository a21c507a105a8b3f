"""Documents: what is recorded was served, lies on the disk, stays, and is not fetched twice."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from ..outcome import Order, Outcome
from ..watch import Window
from .erased import begun
from .problems import Problems
from .published import Published
from .served import Pair, Served, came
from .state import recorded_paths

_COLUMNS = "version, is_latest, state, sha256, size_bytes, path, attempts, last_error, same_text_as"
_QUERY = f"select assessment_id, kind, {_COLUMNS}, asked_at, of_changed_at, due_at from main.documents order by version"

_LONGEST_RUN = timedelta(hours=1)
_LOST = "its file was lost: "


class Row(NamedTuple):
    """A row of `main.documents`."""

    assessment_id: str
    kind: str
    version: int | None
    is_latest: bool
    state: str
    sha256: str | None
    size_bytes: int | None
    path: str | None
    attempts: int
    last_error: str | None
    same_text_as: str | None
    asked_at: datetime
    of_changed_at: datetime
    due_at: datetime


@dataclass
class Asked:
    """All of one document: versions in their order, and the row that says it is missing or failed."""

    versions: list[Row]
    lacking: Row | None

    @property
    def latest(self) -> Row | None:
        """The last version."""
        return self.versions[-1] if self.versions else None

    @property
    def of_changed_at(self) -> datetime:
        """The newest version of its assessment that it was asked for."""
        return max(row.of_changed_at for row in (*self.versions, self.lacking) if row)

    @property
    def due_at(self) -> datetime:
        """When it is asked for again, if its assessment stays as it is."""
        return (self.lacking or self.versions[-1]).due_at


def rows_of(found: Published) -> dict[Pair, Asked]:
    """All documents that were ever asked for."""
    told: dict[Pair, Asked] = {}
    for row in map(Row._make, found.rows(_QUERY)):
        one = told.setdefault((row.assessment_id, row.kind), Asked([], None))
        if row.version is None:
            one.lacking = row
        else:
            one.versions.append(row)
    return told


class Archived:
    """Asked after every run; remembers what was recorded before."""

    def __init__(self, home: Path, concurrency: int, recheck_days: int, files: Path | None = None) -> None:
        """`files` has the documents, if that is not the home."""
        self.served = Served()
        self._home = home
        self._files = files or home
        self._concurrency = concurrency
        self._recheck = timedelta(days=recheck_days)
        self._paths: set[str] = set()
        self._named: dict[str, set[str]] = {}
        self._kept: dict[tuple[Any, ...], str | None] = {}
        self._done: dict[Pair, tuple[datetime, datetime]] = {}
        self._orphans = 0
        self._damaged: set[str] = set()
        self._has_damaged = False
        self.mended = 0

    def damage(self, dice: Random) -> None:
        """Before a verification: one recorded file rots, or is gone."""
        paths = sorted(path for path in self._paths if (self._files / path).exists())
        if not paths or dice.random() < 0.4:
            return
        path = dice.choice(paths)
        self._damaged.add(path)
        self._has_damaged = True
        if dice.random() < 0.5:
            (self._files / path).write_bytes(b"rotten")
        else:
            (self._files / path).unlink()

    @property
    def has_gaps(self) -> bool:
        """Whether a file is still gone, as after a verification that died."""
        return any(not (self._files / path).exists() for path in self._damaged)

    def erase(self, assessment_id: str) -> None:
        """Its documents are gone from now on, and may come again as if for the first time."""
        gone = {str(row) for row in self._named.get(assessment_id, ())}
        self._damaged -= gone
        self._paths -= gone
        self._kept = {key: digest for key, digest in self._kept.items() if key[0] != assessment_id}
        self._done = {pair: one for pair, one in self._done.items() if pair[0] != assessment_id}

    def check(self, found: Published, window: Window, order: Order, outcome: Outcome, problems: Problems) -> None:
        """What holds after every run, however it went."""
        self.served.add(window)
        self._orphans += self._concurrency if outcome.killed or order.weather else 0
        asked = rows_of(found)
        for pair, one in asked.items():
            self._check_versions(pair, one, problems)
        self._check_kept(asked, problems)
        self._check_damage(asked, outcome, problems)
        self._check_files(asked, problems)
        changed_at = dict(found.rows("select assessment_id, changed_at from main.assessments"))
        # one that asks for documents alone may know of changes that only a run after it publishes, if it dies
        self._check_once(window, {} if outcome.killed and order.documents else changed_at, problems)
        self._remember(asked)

    def _check_versions(self, pair: Pair, one: Asked, problems: Problems) -> None:
        numbers = [row.version for row in one.versions]
        problems.expect(numbers == [*range(1, len(numbers) + 1)], "versions count from 1 without gap", pair, numbers)
        latest = [row.version for row in one.versions if row.is_latest]
        problems.expect(latest == numbers[-1:], "one version is the latest, the last", pair, latest, numbers)
        for row in one.versions:
            is_so = row.state == "stored" and (pair, row.sha256) in self.served.whole
            problems.expect(is_so, "a version was served whole", row)
        repeats = [row.version for row, after in pairwise(one.versions) if row.sha256 == after.sha256]
        problems.expect(not repeats, "a version differs from the one before", pair, repeats)
        if one.lacking is not None:
            is_so = one.lacking.state == "failed" or (one.lacking.state == "missing" and pair in self.served.not_found)
            problems.expect(is_so and not one.lacking.is_latest, "what is missing was not found", one.lacking)

    def _check_kept(self, asked: dict[Pair, Asked], problems: Problems) -> None:
        kept = {(*pair, row.version): row.sha256 for pair, one in asked.items() for row in one.versions}
        lost = [key for key, digest in self._kept.items() if kept.get(key) != digest]
        problems.expect(not lost, "what was recorded stays", lost)
        self._kept = kept

    def _check_damage(self, asked: dict[Pair, Asked], outcome: Outcome, problems: Problems) -> None:
        """Damaged files come back whole; a verification removes the others, and reports them."""
        whole = {path for path in self._damaged if _is_whole(self._files / path)}
        self.mended += len(whole)
        self._damaged -= whole
        if outcome.lost is None:
            return
        rotten = [path for path in self._damaged if (self._files / path).exists()]
        problems.expect(not rotten, "no rotten file is left by a verification", rotten)
        told = {row.path for one in asked.values() for row in one.versions if (row.last_error or "").startswith(_LOST)}
        is_so = told == self._damaged and outcome.lost == len(told)
        problems.expect(is_so, "a verification tells what is lost", outcome.lost, told, "≠", self._damaged)

    def _check_files(self, asked: dict[Pair, Asked], problems: Problems) -> None:
        """Each recorded file exists, each existing one is whole, and few exist that nothing names."""
        folder = self._files / "archive" / "blobs"
        files = {str(path.relative_to(self._files)): path for path in folder.rglob("*") if path.is_file()}
        bodies = {name: path.read_bytes() for name, path in files.items()}
        rows = [row for one in asked.values() for row in one.versions]
        for row in (row for row in rows if row.path not in self._damaged):
            size = len(bodies.get(str(row.path), b""))
            is_so = files.get(str(row.path), Path()).stem == row.sha256 and size == row.size_bytes
            problems.expect(is_so, "a recorded file is there", row.assessment_id, row.kind, row.path)
        for name in bodies.keys() - self._damaged:
            problems.expect(_is_whole(files[name]), "a file has the bytes that its name says", name)
        self._paths = {str(row.path) for row in rows}
        self._named = {}
        for row in rows:
            self._named.setdefault(row.assessment_id, set()).add(str(row.path))
        self._check_orphans(bodies.keys() - self._paths - {line["path"] for line in self._lines()}, problems)

    def _check_orphans(self, unnamed: set[str], problems: Problems) -> None:
        """A run that dies may leave what each of its threads had just put there: of all else it had left a line.

        Amid an erasure the published tables may be without what it still removes.
        """
        if (told := begun(self._home)) is not None and told["state"] == "begun":
            return
        if len(unnamed) > self._orphans:
            unnamed -= recorded_paths(self._home)
        is_so = len(unnamed) <= self._orphans
        problems.expect(is_so, "what came outlives the run", f"at most {self._orphans} unnamed:", sorted(unnamed))

    def _check_once(self, window: Window, changed_at: dict[str, datetime], problems: Problems) -> None:
        """A run fetched no document that was up to date and not due before it, and none twice.

        A verification fetches what it found damaged.
        """
        for pair, count in came(window).items():
            of_changed_at, due_at = self._done.get(pair, (None, window.time))
            is_done = of_changed_at is not None and of_changed_at == changed_at.get(pair[0])
            is_needless = is_done and not self._has_damaged and due_at > window.time + _LONGEST_RUN
            problems.expect(not is_needless, "what is recorded is not fetched again", *pair, of_changed_at, due_at)
            problems.expect(count == 1, "a run fetches a document once", *pair, count)

    def _remember(self, asked: dict[Pair, Asked]) -> None:
        """Documents that need no request now, with their record's version and the time when they are due again."""
        self._done = {pair: (one.of_changed_at, one.due_at) for pair, one in asked.items()}
        for line in self._lines():
            if line["outcome"] == "stored":
                of_changed_at, asked_at = (datetime.fromisoformat(line[name]) for name in ("of_changed_at", "asked_at"))
                self._done[line["assessment_id"], line["kind"]] = of_changed_at, asked_at + self._recheck

    def _lines(self) -> Iterable[dict[str, Any]]:
        """Fetched documents that the tables do not have yet; a line that death cut short counts for nothing."""
        path = self._home / "archive" / "taken.jsonl"
        for line in path.read_bytes().splitlines() if path.exists() else ():
            try:
                yield json.loads(line)
            except ValueError:
                continue


def _is_whole(path: Path) -> bool:
    return path.exists() and hashlib.sha256(path.read_bytes()).hexdigest() == path.stem
