"""Shows that nothing below home, and nothing in its bucket, has a text or an id any more."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

from propsync.bucket import left_places
from propsync.documents.cluster.equipment import bounds_of
from propsync.documents.worker.client import WorkerPool
from propsync.errors import UsageError
from propsync.runbooks.workplace import object_storage, refuse_elsewhere
from propsync.runs import RUN_LOCK, RunLock, exit_code
from propsync.settings import Settings
from propsync.storage import LocalStorage
from propsync.suppression import Erasures
from propsync.traces import CLEAN, Equipment, Findings, Needle, look_below, look_in_bucket
from propsync.warehouse import ForeignTables

_WHAT = "propsync erase --verify"
_MOST_SIGNS = 500
_UNKNOWN = "propsync does not know when they expire: set PROPSYNC_BACKUP_DAYS"


@dataclass(frozen=True)
class Beyond:
    """Something that propsync cannot read, and until when it may have a trace, in words ("" if nothing says)."""

    what: str
    until: str = ""


@dataclass(frozen=True)
class Verified:
    """The findings of a search, and the things beyond its reach."""

    findings: Findings
    beyond: list[Beyond]

    @property
    def exit_code(self) -> int:
        """0 if nothing has a trace and everything could be read; else 3: something was left behind."""
        return exit_code("ok" if self.findings.verdict == CLEAN else "attention")

    def to_json(self) -> dict[str, Any]:
        """For `--json`. It does not repeat what was looked for."""
        beyond = [{"what": one.what, "until": one.until or None} for one in self.beyond]
        return self.findings.to_json() | {"beyond": beyond, "exit_code": self.exit_code}


def verify_erased(settings: Settings, words: str) -> Verified:
    """Reads every file below home and every object of its bucket, unpacked, and looks for `words`. Changes nothing.

    Raises UsageError for words that are too short, SettingsError, HomeUnusable, Busy; with a bucket StorageAway and
    StorageRefused.
    """
    needle = Needle(words)
    if not settings.state.is_dir():
        raise UsageError("PROPSYNC_HOME", f"{settings.home} is not a home of propsync", "Set it to your home folder")
    refuse_elsewhere(settings)
    with RunLock(settings.state / RUN_LOCK).held(_WHAT, settings.lock_wait):
        return Verified(_searched(settings, needle), list(_beyond(settings)))


def look_after_erasing(settings: Settings, words: str) -> tuple[Needle, Findings]:
    """The same search for a command that holds the lock. Of a long text the beginning shows the rest."""
    needle = Needle(words[:_MOST_SIGNS])
    return needle, _searched(settings, needle)


def _searched(settings: Settings, needle: Needle) -> Findings:
    folder = settings.state / "work"
    folder.mkdir(exist_ok=True, mode=0o700)
    access = settings.storage()
    tables = ForeignTables(memory_limit=settings.memory_limit, folder=folder)
    with WorkerPool(workers=1) as pdf, closing(tables):
        equipment = Equipment(needle, pdf, tables, bounds_of(settings), folder)
        found = look_below(settings.home, equipment)
        if access is not None:
            found.add(look_in_bucket(object_storage(access), access.url, equipment))
    return found


def _beyond(settings: Settings) -> Iterator[Beyond]:
    yield Beyond("backups and snapshots of home and of the machine", _until(settings))
    if settings.storage_url:
        yield Beyond("older versions of objects in the bucket, and uploads that never ended", _until(settings))
        yield Beyond("homes of other machines in this bucket: run `propsync sync` on each, or remove the home")
    for place in left_places(LocalStorage(settings.home)):
        if place not in (settings.storage_url, str(settings.home)):
            yield Beyond(f"files of this home in {place}, which it has left: remove them there")
    yield Beyond("copies that people made: exports, bags, spreadsheets, plans outside home, query results, downloads")
    yield Beyond("Prefect's own database and logs, if Prefect runs elsewhere")
    yield Beyond("logs that you keep of propsync: the journal, containers, the timetable")
    yield Beyond("the service behind the API: erase it there too")
    yield Beyond("words in pictures, such as a scanned page")


def _until(settings: Settings) -> str:
    if settings.backup_days is None:
        return _UNKNOWN
    last = _last_erasure(settings)
    expired = last + timedelta(days=settings.backup_days)
    return f"until {expired}, {settings.backup_days} days after {last} (PROPSYNC_BACKUP_DAYS)"


def _last_erasure(settings: Settings) -> date:
    """The day of the last erasure, today if there was none."""
    moments = [one.erased_at for one in Erasures(LocalStorage(settings.home)).all()]
    return max(moments, default=datetime.now(UTC)).astimezone(settings.zone).date()
