"""The archive run: fetches the wanted documents in chunks, and publishes the result at the end.

It holds the run lock only while it puts a chunk into the tables; a lock of its own keeps two archive runs apart.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from propsync.api import RetryPolicy
from propsync.documents.budget import Budget
from propsync.documents.expiry import Expiry
from propsync.documents.kinds import KINDS
from propsync.documents.ledger import DocumentChoice, Ledger, WantedDocument
from propsync.documents.lost_files import MOUNT_OR_VERIFY
from propsync.errors import ApiUnreachable, StateUnusable, StopRun, UsageError
from propsync.merge import known_values
from propsync.progress import progress
from propsync.runbooks.archiving.archive_report import ArchiveReport
from propsync.runbooks.archiving.lock import ARCHIVING
from propsync.runbooks.archiving.workspace import ArchiveWorkspace
from propsync.runbooks.known_api import refuse_other_api
from propsync.runbooks.notice import noticed
from propsync.runbooks.workspace import Workspace
from propsync.settings import Settings

_log = logging.getLogger("propsync.archive")
_CHUNK = 2_000  # documents to put into the tables at once
_MANY = 20  # documents; a few may well be gone, or never have existed
_OTHERS = 5  # documents to request again, if many are gone


@dataclass(frozen=True)
class Documents:
    """The documents to request: kinds (none for those set), properties (none for all), and the largest number."""

    kinds: Sequence[str] = ()
    properties: Sequence[str] = ()
    limit: int | None = None


@noticed("archive")
def archive(
    settings: Settings,
    wanted: Documents | None = None,
    *,
    policy: RetryPolicy | None = None,
) -> ArchiveReport:
    """Runs `archived` as a run of its own, and reports it to PROPSYNC_NOTIFY_URL."""
    return archived(settings, wanted, policy=policy)


def archived(
    settings: Settings,
    wanted: Documents | None = None,
    *,
    policy: RetryPolicy | None = None,
) -> ArchiveReport:
    """Fetches documents within the night's budget, and publishes; PROPSYNC_ARCHIVE_DASK may name who fetches.

    Raises UsageError (exit 2), StopRun (exit 1: earlier chunks stay) and Busy (exit 4). Busy means that another archive
    run is at work, or a run did not end within PROPSYNC_LOCK_WAIT. The report has every other failure.
    """
    wanted = _known_kinds(wanted or Documents())
    with ArchiveWorkspace.opened(settings, ARCHIVING, policy, settings.archive_dask) as at:
        return _Archive(at, wanted).run()


def _known_kinds(wanted: Documents) -> Documents:
    unknown = [name for name in wanted.kinds if name not in KINDS]
    if unknown:
        raise UsageError("--kind", f"there is no kind {', '.join(unknown)}", f"Name some of {', '.join(KINDS)}")
    return wanted


def _refuse_unsynced(workspace: Workspace) -> None:
    """Refuses to run before anything was read; and after the loss of the state, so that the published files survive."""
    if workspace.journal.resources_read():
        return
    if workspace.publisher.note():
        raise StateUnusable(
            str(workspace.warehouse.path), "it holds no run, though tables of earlier runs are published"
        )
    raise UsageError("archive", "propsync has not synced yet, so it knows no assessment", "Run `propsync sync`")


def _refuse_unknown(workspace: Workspace, properties: Sequence[str]) -> None:
    """Refuses an id of no property: nothing would be wanted, as if every document were stored."""
    known = known_values(workspace.warehouse, ())["property_ids"] if properties else ()
    unknown = next((one for one in properties if one not in known), None)
    if unknown is not None:
        raise UsageError(
            "--property", f"propsync knows no property {unknown or repr(unknown)}", "Give the id of a property"
        )


class _Archive:
    """One archive run."""

    def __init__(self, at: ArchiveWorkspace, wanted: Documents) -> None:
        self._at, settings = at, at.settings
        self._choice = DocumentChoice(
            wanted.kinds or settings.archive_kinds, settings.archive_statuses, wanted.properties
        )
        self._budget = Budget(
            at.partial,
            lambda: at.api.traffic.bytes,
            most_bytes=settings.archive_max_gb * 1e9,
            seconds=settings.archive_max_minutes * 60,
            documents=wanted.limit,
        )
        self._fetcher = at.fetcher(self._budget)
        self._began = datetime.now(UTC)
        self._since: datetime | None = None
        self._gone = 0
        self._report = ArchiveReport()

    def run(self) -> ArchiveReport:
        """Fetches chunk after chunk, until nothing is wanted or the budget is spent; then publishes."""
        with self._at.tables() as workspace:
            _refuse_unsynced(workspace)
            refuse_other_api(workspace, self._at.api.base_url)
            _refuse_unknown(workspace, self._choice.properties)
            self._warn_of_statuses(workspace)
            self._since = Ledger(workspace.warehouse).newest()
            self._look_for_files(Ledger(workspace.warehouse))
            self._record_earlier(workspace)
            self._at.correct_times(workspace, self._began)
            chunk, count = self._plan(workspace)
        stopped: StopRun | None = None
        with progress("Archiving", count, "documents") as bar:
            while count and stopped is None and self._may_go_on():
                stopped = self._fetch(chunk, bar)
                with self._at.tables() as workspace:
                    self._record(workspace)
                    chunk, count = self._plan(workspace)
            if stopped is None and self._gone > _MANY and self._came_none():
                stopped = self._request_others(bar)
        if stopped is None:
            self._read_on()
        else:
            self._report.left_behind.append(str(stopped))
        self._finish(is_whole=stopped is None)
        if stopped is not None:
            raise stopped
        return self._report

    def _warn_of_statuses(self, workspace: Workspace) -> None:
        if "archive_statuses" not in self._at.settings.explicit:
            return
        for status in Ledger(workspace.warehouse).unknown_statuses(self._choice):
            _log.warning(
                "no assessment has the status %s (PROPSYNC_ARCHIVE_STATUSES), so nothing of it is archived. "
                "Correct its spelling, or keep it if assessments may have it later",
                status,
            )

    def _look_for_files(self, ledger: Ledger) -> None:
        """Leaves a line if stored files are gone. A bucket would send long lists, so there only `verify` looks."""
        gone = 0 if self._at.blobs.is_far else self._at.blobs.count_gone(ledger.files())
        if gone:
            self._report.left_behind.append(f"stored documents without a file in archive/: {gone:,}. {MOUNT_OR_VERIFY}")

    def _may_go_on(self) -> bool:
        if self._report.ended is None and (reason := self._budget.reason()):
            self._report.ended = reason
            if self._budget.lacks_room:
                self._report.left_behind.append(f"{reason}, and documents wait. Make room, then run `propsync archive`")
        return self._report.ended is None

    def _plan(self, workspace: Workspace) -> tuple[list[WantedDocument], int]:
        """The next chunk, and the number of wanted documents; leaves out kinds that the run has given up."""
        left, chunk = self._budget.documents_left, self._fetcher.chunk or _CHUNK
        return Ledger(workspace.warehouse).wanted(
            self._permitted(),
            now=datetime.now(UTC),
            began=self._began,
            since=self._since,
            most=chunk if left is None else min(chunk, left),
        )

    def _permitted(self) -> DocumentChoice:
        return replace(self._choice, kinds=[one for one in self._choice.kinds if one not in self._fetcher.forbidden])

    def _fetch(self, chunk: Sequence[WantedDocument], bar: Any) -> StopRun | None:
        """Fetches a chunk; returns the error that ends the run, after it notes the documents before it."""
        stored = {(one.assessment_id, one.kind) for one in chunk if one.sha256}
        try:
            for taken in self._fetcher.fetch(chunk, self._at.taken.add):
                self._gone += taken.outcome == "missing" and (taken.assessment_id, taken.kind) in stored
                self._report.counts["bytes"] += taken.size_bytes or 0
                bar.advance(1, taken.size_bytes or 0)
        except ApiUnreachable as error:
            self._report.ended = str(error)
            self._report.left_behind.append(str(error))
        except StopRun as error:
            return error
        return None

    def _read_on(self) -> None:
        """Reads stored documents without contents, in batches that each hold the run lock for a moment only."""
        is_read = True
        while is_read and self._budget.reason() is None:
            with self._at.tables() as workspace:
                is_read = self._at.read_on(workspace)

    def _record(self, workspace: Workspace) -> None:
        self._report.counts.update(self._at.record(workspace, self._fetcher))

    def _record_earlier(self, workspace: Workspace) -> None:
        """Notes a killed run's documents; propsync retries its failures, so they are no failures of this run."""
        self._record(workspace)
        self._report.counts["failed"] = 0

    def _finish(self, *, is_whole: bool) -> None:
        failed = self._report.counts["failed"]
        if failed:
            what = "1 document" if failed == 1 else f"{failed:,} documents"
            self._report.left_behind.append(f"{what} failed; marts.document_coverage shows why")
        self._report.left_behind += [f"{kind}s: {why}" for kind, why in self._fetcher.forbidden.items()]
        settings = self._at.settings
        everything = DocumentChoice(
            settings.archive_kinds, settings.archive_statuses
        )  # not among this run's own documents
        with self._at.tables() as workspace:
            self._warn_if_none_came(Ledger(workspace.warehouse))
            expiry = self._expire(workspace) if is_whole else None
            numbers = self._at.publish(workspace, everything, self._report)
            self._report.lacking, self._report.published = numbers
            if expiry is not None:
                workspace.place.check()  # a machine that lost its lease removes nothing
                expiry.remove(self._at.blobs)

    def _came_none(self) -> bool:
        counts = self._report.counts
        return not counts["stored"] and not counts["same"] and counts["missing"] > _MANY

    def _request_others(self, bar: Any) -> StopRun | None:
        """Requests a few that came before: on a quiet night, only those that are gone for good are due."""
        with self._at.tables() as workspace:
            others = Ledger(workspace.warehouse).came_last(self._permitted(), began=self._began, most=_OTHERS)
        stopped = self._fetch(others, bar)
        with self._at.tables() as workspace:
            self._record(workspace)
        return stopped

    def _warn_if_none_came(self, ledger: Ledger) -> None:
        """Leaves a line if no document came and many are gone; warns if the API never had any of many."""
        if not self._came_none():
            return
        none = f"the API has none of the {self._report.counts['missing']:,} documents that propsync requested"
        if self._gone > _MANY:
            self._report.left_behind.append(f"{none}, and stored ones stay. Ask the people who run it where they are")
        elif next(ledger.files(), None) is None:
            _log.warning("%s, and never had one. If there should be some, ask the people who run it", none)

    def _expire(self, workspace: Workspace) -> Expiry | None:
        """Marks documents of assessments that were deleted too long ago, as a run of its own."""
        years = self._at.settings.archive_keep_years
        if years is None:
            return None
        expiry = Expiry(workspace.warehouse, years, datetime.now(UTC))
        if (days := expiry.days_since_last_run()) is not None:
            _log.warning(
                "the run before was %d days ago. In case the clock is wrong, no document goes before the next run", days
            )
            return None
        run = self._at.begin(workspace)
        self._report.counts["removed"], size_bytes = expiry.note(run.run_id)
        workspace.journal.end(run, "ok", None)
        if self._report.counts["removed"]:
            _log.info(
                "%d documents of long deleted assessments go: %d bytes", self._report.counts["removed"], size_bytes
            )
        return expiry
