"""`archive verify`: hashes the files of documents again, and fetches damaged or missing ones.

It works in chunks. It holds the run lock to choose a chunk, and the archive's lock alone to hash and fetch. It notes
each chunk before the next, so that a kill loses no more than the chunk under way.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from propsync.api import RetryPolicy
from propsync.documents.blobs import blob_key
from propsync.documents.budget import Budget
from propsync.documents.fetch_log import Fetched
from propsync.documents.ledger import DocumentChoice
from propsync.documents.lost_files import LOST
from propsync.documents.verification import LostFile, StoredFile, Verification
from propsync.errors import ApiUnreachable, StopRun
from propsync.progress import progress
from propsync.runbooks.archiving.verify_report import MOST_TOLD, VerifyReport
from propsync.runbooks.archiving.workspace import ArchiveWorkspace
from propsync.runbooks.known_api import refuse_other_api
from propsync.runbooks.notice import noticed
from propsync.runbooks.workspace import Workspace
from propsync.settings import Settings
from propsync.storage.places import ROTTEN

_CHUNK = 2_000  # files between two notes
_DAY = 86_400  # seconds
_KEPT = f" (the damaged file is in {ROTTEN})"


@dataclass(frozen=True)
class _Flaw:
    """A faulty file: rotten, gaps (it is missing) or unreadable, and that in words."""

    file: StoredFile
    sort: str
    why: str


@noticed("archive verify")
def verify(
    settings: Settings,
    limit: int | None = None,
    *,
    remove_orphans: bool = False,
    policy: RetryPolicy | None = None,
) -> VerifyReport:
    """Hashes at most `limit` files, those least recently verified first, repairs what it can, and publishes.

    Raises UsageError (exit 2), StopRun (exit 1: earlier chunks are noted) and Busy (exit 4).
    """
    with ArchiveWorkspace.opened(settings, "propsync archive verify", policy) as archive:
        return _Verify(archive, limit, remove_orphans).run()


class _Verify:
    """One verification."""

    def __init__(self, archive: ArchiveWorkspace, limit: int | None, remove_orphans: bool) -> None:
        self._archive, self._limit, self._remove_orphans = archive, limit, remove_orphans
        # no minutes: hashing would use them up before any repair
        most = archive.settings.archive_max_gb * 1e9
        came = archive.api.traffic
        self._budget = Budget(archive.partial, lambda: came.bytes, most_bytes=most, seconds=math.inf)
        self._fetcher = archive.fetcher(self._budget)
        self._began = datetime.now(UTC)
        self._stopped: StopRun | None = None
        self._report = VerifyReport()

    def run(self) -> VerifyReport:
        """Verifies chunk after chunk, until all files are done or the limit is reached; then looks for orphans."""
        with self._archive.tables() as workspace:
            refuse_other_api(workspace, self._archive.api.base_url)
            self._archive.record(workspace, self._fetcher)  # documents of a killed run
            self._archive.correct_times(workspace, self._began)
            chunk, count = self._plan(workspace)
        total = count if self._limit is None else min(count, self._limit)
        with progress("Verifying", total, "files") as bar:
            while chunk and self._stopped is None:
                flaws = [flaw for file in chunk if (flaw := self._look(file, bar))]
                lost = self._mend(flaws)
                with self._archive.tables() as workspace:
                    self._note(workspace, chunk, lost)
                    chunk, count = self._plan(workspace)
        self._report.due = count
        self._finish()
        if self._stopped is not None:
            raise self._stopped
        return self._report

    def _plan(self, workspace: Workspace) -> tuple[list[StoredFile], int]:
        left = _CHUNK if self._limit is None else min(_CHUNK, self._limit - self._report.counts["files"])
        return Verification(workspace.warehouse).due(self._began, left)

    def _look(self, file: StoredFile, bar: Any) -> _Flaw | None:
        """Hashes one file; returns its fault, None for a sound one."""
        flaw = self._flaw(file)
        self._report.counts["files"] += 1
        if flaw:
            self._report.counts[flaw.sort] += 1
        bar.advance(size=file.size_bytes if flaw is None else 0)
        return flaw

    def _flaw(self, file: StoredFile) -> _Flaw | None:
        try:
            is_same = self._archive.blobs.sha256(file.path) == file.sha256
        except FileNotFoundError:
            known = file.mark.removeprefix(LOST).partition(";")[0] if file.mark else None
            return _Flaw(file, "gaps", known or "it was missing")
        except OSError as error:
            return _Flaw(file, "unreadable", f"it cannot be read ({error.strerror})")
        self._report.counts["bytes"] += file.size_bytes
        return None if is_same else _Flaw(file, "rotten", "its bytes had changed since propsync stored it")

    def _mend(self, flaws: Sequence[_Flaw]) -> dict[str, str]:
        """Fetches files again if it can; returns those that are lost all the same, each with its state in words."""
        to_mend = [flaw for flaw in flaws if flaw.sort != "unreadable"]  # a person must look at a failing disk
        for flaw in to_mend:
            if flaw.sort == "rotten":
                self._archive.blobs.put_aside(flaw.file.path)  # if nothing replaces it, a part may still be read
        results = self._fetch(to_mend)
        mended = {flaw.file.path for flaw in to_mend if self._archive.blobs.exists(flaw.file.path)}
        self._report.counts["mended"] += len(mended)
        self._log_mended([flaw for flaw in to_mend if flaw.file.path in mended])
        return {
            flaw.file.path: f"{LOST}{flaw.why}{_KEPT if flaw.sort == 'rotten' else ''}; {self._why_not(flaw, results)}"
            for flaw in flaws
            if flaw.file.path not in mended
        }

    def _fetch(self, flaws: Sequence[_Flaw]) -> dict[tuple[str, str], str]:
        """Fetches the documents whose latest version these are; returns the result of each, in words."""
        results: dict[tuple[str, str], str] = {}
        if self._report.ended:
            return results
        lost = [one for flaw in flaws for one in flaw.file.latest]
        try:
            with progress("Mending", len(lost), "documents") as bar:
                for taken in self._fetcher.fetch(lost, self._archive.taken.add):
                    results[taken.assessment_id, taken.kind] = _in_words(taken)
                    bar.advance(1, taken.size_bytes or 0)
        except ApiUnreachable as error:
            self._report.ended = error.what
        except StopRun as error:
            self._report.ended, self._stopped = error.what, error
        return results

    def _why_not(self, flaw: _Flaw, results: dict[tuple[str, str], str]) -> str:
        if flaw.sort == "unreadable":
            return "check the disk and the file's permissions"
        if not flaw.file.latest:
            return "it is not the latest version, the only one that propsync can fetch again"
        asked = [results[key] for one in flaw.file.latest if (key := (one.assessment_id, one.kind)) in results]
        refused = self._fetcher.forbidden.get(flaw.file.kind)
        return (
            asked[0]
            if asked
            else refused or self._report.ended or self._budget.reason() or "propsync did not ask for it"
        )

    def _log_mended(self, flaws: Sequence[_Flaw]) -> None:
        room = MOST_TOLD - len(self._report.mended)
        self._report.mended += [f"{_named(flaw.file)}: {flaw.why}; propsync fetched it again" for flaw in flaws[:room]]

    def _note(self, workspace: Workspace, chunk: Sequence[StoredFile], lost: dict[str, str]) -> None:
        self._archive.record(workspace, self._fetcher)
        run = self._archive.begin(workspace)
        # never before the run began: after a clock is set back, it would verify them again and again
        now = max(datetime.now(UTC), self._began)
        Verification(workspace.warehouse).note([file.path for file in chunk], lost, now, run.run_id)
        workspace.journal.end(run, "attention" if lost else "ok", None)

    def _finish(self) -> None:
        settings, report = self._archive.settings, self._report
        with self._archive.tables() as workspace:
            lost, report.lost = Verification(workspace.warehouse).lost(MOST_TOLD)
            report.not_mended = [f"{_named(one)}: {one.why}" for one in lost]
            self._settle_orphans(workspace)
            self._remove_replaced()
            choice = DocumentChoice(settings.archive_kinds, settings.archive_statuses)
            _, report.published = self._archive.publish(workspace, choice, report)

    def _remove_replaced(self) -> None:
        """Removes damaged files that this run, or an archive run since, has replaced."""
        for path in map(blob_key, self._archive.blobs.aside()):
            if self._archive.blobs.exists(path):
                self._archive.blobs.remove_aside(path)

    def _settle_orphans(self, workspace: Workspace) -> None:
        taken = {one.path for one in self._archive.taken.all()}
        found = Verification(workspace.warehouse).unnamed(set(self._archive.blobs.all()) - taken)
        orphans = [path for path in found if self._archive.blobs.exists(path)]  # a bucket may list what has gone
        self._report.counts["orphans"] = len(orphans)
        for path in orphans:
            is_young = self._archive.blobs.age(path) <= _DAY
            if self._remove_orphans and not is_young:
                self._archive.blobs.remove(path)
                self._report.counts["removed"] += 1
                continue
            self._report.counts["young_orphans"] += is_young
            if len(self._report.orphans) < MOST_TOLD:
                spared = "; it is less than a day old, and a run may have just stored it" if is_young else ""
                self._report.orphans.append(f"{path}: no version names it{spared}")


def _named(file: StoredFile | LostFile) -> str:
    return f"{file.path} ({file.kind} of assessment {file.assessment_id})"


def _in_words(taken: Fetched) -> str:
    if taken.outcome == "stored":
        return "the API now gives different bytes, which propsync stored as a new version"
    return "the API no longer has it" if taken.outcome == "missing" else f"it could not be fetched: {taken.error}"
