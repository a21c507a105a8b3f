"""The archive run: asks for the documents that are wanted, in chunks, and publishes what came of it at the end.

The run lock is held only while a chunk is put into the tables; a lock of its own keeps two archive runs apart.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from propsync.api import Api, RetryPolicy, TokenSource
from propsync.documents.blobs import Blobs
from propsync.documents.budget import Budget
from propsync.documents.bundle import Bounds
from propsync.documents.contents import Contents
from propsync.documents.fetcher import Fetcher
from propsync.documents.kinds import KINDS
from propsync.documents.ledger import Choice, Ledger, Wanted
from propsync.documents.pdf import PdfReader
from propsync.documents.reading import DocumentReader
from propsync.documents.taken import TakenStore
from propsync.errors import ApiUnreachable, StopRun, UsageError
from propsync.progress import progress
from propsync.runbooks.site import WAREHOUSE, Site, make_home, workplace
from propsync.runs import Run, RunLock, exit_code, next_run
from propsync.settings import Settings
from propsync.storage import LocalStorage, remove_partials
from propsync.warehouse import run_checks

_CHUNK = 400  # documents that are put into the tables at once
_WHAT = "propsync archive"
_log = logging.getLogger("propsync.archive")


@dataclass(frozen=True)
class Documents:
    """Which documents to ask for: kinds (none for those set), properties (none for all), and how many at most."""

    kinds: Sequence[str] = ()
    properties: Sequence[str] = ()
    limit: int | None = None


@dataclass
class ArchiveReport:
    """What came of it. `counts`: stored (new bytes), same, missing, failed, bytes; `lacking`: wanted and not there."""

    counts: Counter[str] = field(default_factory=Counter)
    lacking: int = 0
    ended: str | None = None
    left_behind: list[str] = field(default_factory=list)
    published: str | None = None

    @property
    def status(self) -> str:
        """ok, or attention where a document failed or could not be asked for."""
        return "attention" if self.left_behind else "ok"

    @property
    def exit_code(self) -> int:
        """0 all well, 3 something was left behind."""
        return exit_code(self.status)

    def to_json(self) -> dict[str, Any]:
        """For `--json`."""
        names = ("stored", "same", "missing", "failed", "bytes")
        told = {name: self.counts[name] for name in names} | {"lacking": self.lacking, "ended": self.ended}
        return told | {"status": self.status, "left_behind": self.left_behind, "published": self.published}


def archive(settings: Settings, wanted: Documents | None = None, *, policy: RetryPolicy | None = None) -> ArchiveReport:
    """Fetches documents within the night's budget, and publishes.

    Raises UsageError (exit 2), StopRun (exit 1: what came until then is kept) and Busy (exit 4: another archive run is
    at work, or a run did not end within PROPSYNC_LOCK_WAIT); whatever else goes wrong is in the report.
    """
    wanted = _known_kinds(wanted or Documents())
    access = settings.require_api()
    with _lock(settings) as partial:
        source = TokenSource(access.token.get_secret_value(), access.token_file)
        with (
            Api(access.base_url, source, max_concurrency=settings.max_concurrency, policy=policy) as api,
            PdfReader() as pdf,
        ):
            return _Archive(settings, wanted, api, DocumentReader(_bounds(settings), pdf, partial)).run()


def _known_kinds(wanted: Documents) -> Documents:
    unknown = [name for name in wanted.kinds if name not in KINDS]
    if unknown:
        raise UsageError("--kind", f"there is no kind {', '.join(unknown)}", f"Name some of {', '.join(KINDS)}")
    return wanted


@contextmanager
def _lock(settings: Settings) -> Iterator[Path]:
    """Keeps other archive runs away; the folder for what is under way, in which nothing is left of killed ones."""
    make_home(settings)
    partial = settings.home / "archive" / "partial"
    partial.mkdir(parents=True, exist_ok=True, mode=0o700)
    with RunLock(settings.home / "archive" / "archive.lock").held(_WHAT, 0):
        remove_partials(partial)
        yield partial


def _bounds(settings: Settings) -> Bounds:
    return Bounds(
        members=settings.archive_max_members,
        ratio=settings.archive_max_ratio,
        unpacked_bytes=int(settings.archive_max_unpacked_gb * 1e9),
    )


class _Archive:
    """One archive run."""

    def __init__(self, settings: Settings, wanted: Documents, api: Api, reader: DocumentReader) -> None:
        self._settings = settings
        storage = LocalStorage(settings.home)
        self._blobs, self._taken, self._reader = Blobs(storage), TakenStore(storage), reader
        self._choice = Choice(wanted.kinds or settings.archive_kinds, settings.archive_statuses, wanted.properties)
        partial = settings.home / "archive" / "partial"
        self._budget = Budget(
            partial,
            most_bytes=settings.archive_max_gb * 1e9,
            seconds=settings.archive_max_minutes * 60,
            documents=wanted.limit,
        )
        self._fetcher = Fetcher(api, self._blobs, reader, partial, self._budget, with_text=settings.archive_text)
        self._began = datetime.now(UTC)
        self._since: datetime | None = None
        self._report = ArchiveReport()

    def run(self) -> ArchiveReport:
        """Chunk after chunk, until nothing is wanted any more or the budget is spent; then publishes."""
        with self._site() as site:
            self._since = Ledger(site.warehouse).last_asked()
            self._record(site)  # what a killed run had asked for
            chunk, count = self._plan(site)
        stopped: StopRun | None = None
        with progress("Archiving", count, "documents") as bar:
            while chunk and stopped is None and self._may_go_on():
                stopped = self._fetch(chunk, bar)
                with self._site() as site:
                    self._record(site)
                    chunk, _ = self._plan(site)
        self._finish()
        if stopped is not None:
            raise stopped
        return self._report

    def _may_go_on(self) -> bool:
        self._report.ended = self._report.ended or self._budget.reason()
        return self._report.ended is None

    def _plan(self, site: Site) -> tuple[list[Wanted], int]:
        left = self._budget.documents_left
        chosen, count = Ledger(site.warehouse).wanted(
            self._choice,
            now=datetime.now(UTC),
            began=self._began,
            since=self._since,
            most=_CHUNK if left is None else min(_CHUNK, left),
        )
        return [one for one in chosen if one.kind not in self._fetcher.forbidden], count

    def _fetch(self, chunk: Sequence[Wanted], bar: Any) -> StopRun | None:
        """Asks for a chunk; what ends the run is returned, after what came until then was noted."""
        try:
            for taken in self._fetcher.fetch(chunk):
                self._taken.add([taken])
                self._report.counts["bytes"] += taken.size_bytes or 0
                bar.advance()
        except ApiUnreachable as error:
            self._report.ended = str(error)
            self._report.left_behind.append(str(error))
        except StopRun as error:
            return error
        return None

    def _record(self, site: Site) -> None:
        """Puts what was asked for into the tables, as a run of its own."""
        taken = self._taken.all()
        if not taken:
            return
        run = self._begin(site)
        counts = Ledger(site.warehouse).record(taken, run.run_id, self._settings.archive_recheck_days)
        contents = Contents(site.warehouse, self._blobs, self._reader)
        contents.read(self._fetcher.contents, run, with_text=self._settings.archive_text)
        self._fetcher.contents.clear()
        self._report.counts.update(counts)
        site.journal.end(run, "attention" if counts["failed"] else "ok", None)
        self._taken.clear()

    def _begin(self, site: Site) -> Run:
        run = next_run("archive", site.journal.last_time())
        for killed in site.journal.begin(run):
            _log.warning("run %s was killed; the next sync merges what it landed whole", killed)
        return run

    def _finish(self) -> None:
        failed = self._report.counts["failed"]
        if failed:
            self._report.left_behind.append(f"{failed:,} documents failed; marts.document_coverage tells why")
        self._report.left_behind += [f"{kind}s: {why}" for kind, why in self._fetcher.forbidden.items()]
        with self._site() as site:
            run = self._begin(site)
            self._report.lacking = Ledger(site.warehouse).cover(self._choice, run.run_id)
            site.journal.end(run, self._report.status, "; ".join(self._report.left_behind) or None)
            if site.publisher.is_behind(site.warehouse) or not site.publisher.note():
                published = str(site.publisher.note().get("run", ""))
                for warning in run_checks(site.warehouse, run.run_id, since=published):
                    _log.warning("%s", warning)
                site.publisher.publish(site.warehouse, run.run_id)
                self._report.published = str(self._settings.published)

    @contextmanager
    def _site(self) -> Iterator[Site]:
        """The tables, under the run lock."""
        with (
            workplace(self._settings, _WHAT) as work,
            Site.offline(self._settings, work, self._settings.state / WAREHOUSE) as site,
        ):
            yield site
