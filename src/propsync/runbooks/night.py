"""The whole night: the nightly run, then documents, within their own budget and without the run lock."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from propsync.api import RetryPolicy
from propsync.errors import Busy, HomeUnusable, ResourceFailed, SettingsError, StopRun
from propsync.resources import ASSESSMENTS
from propsync.runbooks.archiving.archive import archived
from propsync.runbooks.archiving.archive_report import ArchiveReport
from propsync.runbooks.archiving.lock import ARCHIVE_LOCK, ARCHIVING
from propsync.runbooks.nightly import nightly
from propsync.runbooks.notice import noticed
from propsync.runbooks.report import Report
from propsync.runbooks.run_frame import Call, plainly
from propsync.runs import RunLock
from propsync.settings import Settings
from propsync.storage import in_the_way, step_against, why_unread

_log = logging.getLogger("propsync.archive")


@noticed("nightly")
def night(
    settings: Settings,
    only: Sequence[str] = (),
    *,
    accept: str | None = None,
    with_documents: bool = True,
    call: Call = plainly,
    policy: RetryPolicy | None = None,
    now: datetime | None = None,
) -> Report:
    """`nightly`, and `archive` once its tables are published; takes and raises what `nightly` does.

    A failure of documents never affects the tables: it is in `Report.documents`, and left behind.
    """
    report = nightly(settings, only, accept=accept, call=call, policy=policy, now=now)
    has_work = bool(settings.archive_kinds) or settings.archive_keep_years is not None
    is_their_turn = with_documents and has_work and (not only or ASSESSMENTS.name in only)
    if report.published is None or not is_their_turn:
        return report
    came: list[ArchiveReport] = []

    def documents() -> str | None:
        came.extend(_documents(settings, policy))
        return "; ".join(line for one in came for line in one.left_behind) or None

    call("documents", documents)
    return _with_documents(report, came[0]) if came else report


def _documents(settings: Settings, policy: RetryPolicy | None) -> list[ArchiveReport]:
    try:
        return [archived(settings, policy=policy)]
    except Busy as error:
        lock = RunLock(settings.home / ARCHIVE_LOCK)
        if lock.is_held():
            return _beside(lock)
        later = "the next archive run writes their results into the tables"
        return [ArchiveReport(left_behind=[f"documents: the run lock took too long, {later} ({error.what})"])]
    except (StopRun, ResourceFailed, SettingsError) as error:  # of Dask, or of a token file that went meanwhile
        return [ArchiveReport(left_behind=[f"documents: {error}"])]
    except OSError as error:
        where = error.filename or settings.home / "archive"
        unread = in_the_way(error) or HomeUnusable(str(where), why_unread(error), step_against(error))
        return [ArchiveReport(left_behind=[f"documents: {unread}"])]


def _beside(lock: RunLock) -> list[ArchiveReport]:
    """The report of a night whose documents another run keeps it from; an archive run fetches them itself."""
    who = lock.owner()
    if who and who.what == ARCHIVING:
        _log.info("an archive run is at work and fetches the documents: %s", who)
        return []
    why = f"documents: propsync fetched none, because {lock.holder()} is at work"
    return [ArchiveReport(left_behind=[f"{why}. Run `propsync archive` when it has ended"])]


def _with_documents(report: Report, came: ArchiveReport) -> Report:
    status = "attention" if came.left_behind else report.status
    lines = [*dict.fromkeys([*report.left_behind, *came.left_behind])]  # both runs of the night name the same mistake
    counts = None if came.lacking is None else came.to_json()  # what it fetched before it stopped is not known here
    return replace(report, status=status, left_behind=lines, documents=counts)
