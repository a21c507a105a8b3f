"""The workspace of runs on documents: their own lock, the API, and the tables only while they note something."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from msgspec import structs

from propsync.api import Api, RetryPolicy, TokenSource
from propsync.documents.blobs import Blobs
from propsync.documents.budget import Budget
from propsync.documents.cluster.equipment import bounds_of
from propsync.documents.contents import Contents
from propsync.documents.fetch_log import Fetched, FetchLog
from propsync.documents.fetcher import Fetcher
from propsync.documents.inspect import DocumentReader
from propsync.documents.ledger import ERASED, DocumentChoice, Ledger
from propsync.documents.unread_tables import faults_in_words, unread_in_words
from propsync.documents.worker.client import WorkerPool
from propsync.errors import CheckFailed
from propsync.runbooks.archiving.lock import archive_lock
from propsync.runbooks.check import Withheld, check, check_marts
from propsync.runbooks.dashboard import draw_dashboard
from propsync.runbooks.desk import build_desk
from propsync.runbooks.erasure.documents import DocumentSearch
from propsync.runbooks.hiding import settle_hiding
from propsync.runbooks.landed_apis import refuse_foreign_landing
from propsync.runbooks.last_time import APART, last_time
from propsync.runbooks.retention import refuse_lost_history
from propsync.runbooks.run_frame import merge_earlier
from propsync.runbooks.workplace import blobs_of, check_dask, workplace
from propsync.runbooks.workspace import WAREHOUSE, Workspace
from propsync.runs import Run, next_run
from propsync.settings import Settings
from propsync.storage import LocalStorage
from propsync.suppression import Suppression
from propsync.warehouse import statement

if TYPE_CHECKING:
    from propsync.documents.cluster.dask import Cluster
    from propsync.documents.cluster.fetcher import ClusterFetcher

_log = logging.getLogger("propsync.archive")


class Outcome(Protocol):
    """What a run on documents reports."""

    @property
    def left_behind(self) -> list[str]: ...

    @property
    def status(self) -> str: ...

    def leave(self, lines: Sequence[str]) -> None: ...


@dataclass
class ArchiveWorkspace:
    """The shared objects of a run on documents; open while it holds the archive's lock.

    `what` is the command, for other runs that wait for a lock. `partial` is the folder for documents under way.
    `cluster` is None unless workers elsewhere fetch.
    """

    settings: Settings
    what: str
    api: Api
    reader: DocumentReader
    partial: Path
    cluster: Cluster | None = None
    faults: dict[str, str] = field(default_factory=dict)
    """Why stored files without contents in the tables cannot be read, by path."""
    blobs: Blobs = field(init=False)
    taken: FetchLog = field(init=False)

    def __post_init__(self) -> None:
        storage = LocalStorage(self.settings.home)
        self.blobs, self.taken = blobs_of(self.settings), FetchLog(storage)

    @classmethod
    @contextmanager
    def opened(
        cls, settings: Settings, what: str, policy: RetryPolicy | None, dask: str | None = None
    ) -> Iterator[ArchiveWorkspace]:
        """The workspace, while no other run on documents is at work; `dask` is the address of a scheduler.

        Raises SettingsError, Busy at once, and ClusterUnfit.
        """
        access = settings.require_api()
        with archive_lock(settings, what) as partial, _cluster(settings, dask, policy) as cluster:
            source = TokenSource.of(access)
            with (
                Api(access.base_url, source, max_concurrency=settings.max_concurrency, policy=policy) as api,
                WorkerPool() as pdf,
            ):
                reader = DocumentReader(bounds_of(settings), pdf, partial)
                workspace = cls(settings, what, api, reader, partial, cluster)
                with closing(workspace.taken), closing(workspace.blobs):
                    yield workspace

    def fetcher(self, budget: Budget) -> Fetcher | ClusterFetcher:
        """The fetcher of documents, within `budget`."""
        if self.cluster is not None:
            from propsync.documents.cluster.fetcher import ClusterFetcher

            return ClusterFetcher(self.cluster, self.settings.max_concurrency, budget, self.api.traffic)
        return Fetcher(self.api, self.blobs, self.reader, self.partial, budget, with_text=self.settings.archive_text)

    @contextmanager
    def tables(self) -> Iterator[Workspace]:
        """The tables, under the run lock. Raises Busy, StateUnusable, HomeUnusable, DiskFull."""
        with workplace(self.settings, self.what) as place:
            settle_hiding(self.settings, place)
            with Workspace.offline(self.settings, place, self.settings.state / WAREHOUSE) as workspace:
                refuse_lost_history(workspace)
                refuse_foreign_landing(workspace, workspace.manifests.all_runs())
                yield workspace

    def begin(self, workspace: Workspace) -> Run:
        """A run that notes something now."""
        run = next_run("archive", last_time(workspace))
        for killed in workspace.journal.begin(run):
            _log.warning("run %s was killed; the next sync merges what it landed completely", killed)
        return run

    def record(self, workspace: Workspace, fetcher: Fetcher | ClusterFetcher) -> Counter[str]:
        """Puts the results into the tables, as a run of its own; returns how many ended how (`Ledger.record`)."""
        found = self._on_disk(self.taken.all())
        taken = self._without_erased(workspace, found)
        if not taken:
            if found:
                self.taken.clear()
            return Counter()
        run = self.begin(workspace)
        counts = Ledger(workspace.warehouse).record(taken, run.run_id, self.settings.archive_recheck_days)
        self._contents(workspace).read(fetcher.contents, run, with_text=self.settings.archive_text)
        fetcher.contents.clear()
        workspace.journal.end(run, "attention" if counts["failed"] else "ok", None)
        self.taken.clear()
        return Counter(counts)

    def correct_times(self, workspace: Workspace, now: datetime) -> None:
        """Makes documents due that the clock, when it was ahead, gave a time in the future."""
        ledger, latest = Ledger(workspace.warehouse), now + APART
        if count := ledger.times_to_come(latest):
            _log.warning("the clock was ahead when propsync asked for %d documents: they are due now", count)
            run = self.begin(workspace)
            ledger.forget_times_to_come(latest, now, run.run_id)
            workspace.journal.end(run, "ok", None)

    def _without_erased(self, workspace: Workspace, taken: list[Fetched]) -> list[Fetched]:
        """Drops documents of assessments that somebody erased while they came."""
        suppression = Suppression.of(workspace.storage)
        if not suppression:
            return taken
        erased = [one for one in taken if suppression.erases_record(one.assessment_id)]
        known = {path for (path,) in workspace.warehouse.rows(statement("documents/paths"))} if erased else set()
        for one in erased:
            if one.path and one.path not in known:
                self.blobs.remove(one.path)
        left = [one for one in taken if one not in erased]
        has_texts = any(one.text is not None for one in suppression.erasures)
        return list(self._without_texts(workspace, left, suppression)) if has_texts else left

    def _without_texts(self, workspace: Workspace, taken: list[Fetched], suppression: Suppression) -> Iterator[Fetched]:
        """Removes new documents that have an erased text; propsync notes them as erased."""
        known = {path for (path,) in workspace.warehouse.rows(statement("documents/paths"))}
        with WorkerPool(workers=1) as pdf:
            search = DocumentSearch(self.blobs, suppression, pdf, self.partial)
            refused = {path for path in {one.path for one in taken} - known if path and search.has_it(path)}
        for name in search.unread:
            _log.warning("%s cannot be read, so propsync does not know whether it has an erased text", name)
        for path in refused:  # before its row: a kill in between makes propsync ask again
            self.blobs.remove(path)
        for one in taken:
            if one.path in refused:
                words = "the %s of assessment %s has an erased text, so propsync does not keep it"
                _log.warning(words, one.kind, one.assessment_id)
                one = structs.replace(one, outcome=ERASED, sha256=None, size_bytes=None, path=None, same_text_as=None)
            yield one

    def _on_disk(self, taken: list[Fetched]) -> list[Fetched]:
        """Waits until files are on the disk; after a power cut, a line may outlive its file's name."""
        lasting = self.blobs.lasting([one.path for one in taken if one.path])
        return [one for one in taken if one.path is None or one.path in lasting]

    def read_on(self, workspace: Workspace) -> bool:
        """Reads a batch of stored documents without contents, after a new setting or a kill. False if there is none."""
        if not self._contents(workspace).is_behind(with_text=self.settings.archive_text):
            return False
        run = self.begin(workspace)
        count = self._contents(workspace).read({}, run, with_text=self.settings.archive_text)
        workspace.journal.end(run, "ok", None)
        return count > 0

    def _contents(self, workspace: Workspace) -> Contents:
        suppression = Suppression.of(workspace.storage)
        return Contents(workspace.warehouse, self.blobs, self.reader, suppression, self.faults)

    def publish(self, workspace: Workspace, choice: DocumentChoice, outcome: Outcome) -> tuple[int, str | None]:
        """Notes what is lacking of `choice`, builds the marts, and publishes if anything changed or was left behind.

        Adds a line to the outcome for each mart that failed. Returns how many lack, and the path of the files.
        """
        run = self.begin(workspace)
        if workspace.publisher.is_behind(workspace.warehouse):
            merge_earlier(workspace, run)
        lacking = Ledger(workspace.warehouse).cover(choice, run.run_id)
        outcome.leave([*faults_in_words(self.faults), *unread_in_words(workspace.warehouse)])
        withheld = self._checked(workspace, run)
        outcome.leave([*withheld.lines, *build_desk(workspace, run.run_id, withheld.tables)])
        outcome.leave(check_marts(workspace, run).lines)
        is_news = outcome.status != "ok" or workspace.publisher.is_behind(workspace.warehouse)
        is_published = is_news or not workspace.publisher.note()
        pages, lines = draw_dashboard(workspace, run.run_id, withheld.tables) if is_published else ({}, [])
        outcome.leave(lines)
        workspace.journal.end(run, outcome.status, "; ".join(outcome.left_behind) or None)
        if not is_published:
            return lacking, None
        workspace.place.commit(run.run_id)
        workspace.publisher.publish(workspace.warehouse, run.run_id, withheld.tables, pages)
        return lacking, str(self.settings.published)

    @staticmethod
    def _checked(workspace: Workspace, run: Run) -> Withheld:
        try:
            return check(workspace, run)
        except CheckFailed as error:
            workspace.journal.end(run, "failed", str(error))
            raise


@contextmanager
def _cluster(settings: Settings, address: str | None, policy: RetryPolicy | None) -> Iterator[Cluster | None]:
    """The Dask cluster at `address`; its library loads slowly, so only runs that name one load it."""
    if address is None:
        yield None
        return
    check_dask(settings)
    from propsync.documents.cluster.dask import Cluster
    from propsync.documents.cluster.order import given_settings

    with Cluster.opened(address, given_settings(settings), policy) as cluster:
        yield cluster
