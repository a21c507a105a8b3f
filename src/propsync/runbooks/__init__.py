"""The one place that puts steps in order."""

from propsync.runbooks.archiving.archive import Documents, archive
from propsync.runbooks.archiving.archive_report import ArchiveReport
from propsync.runbooks.archiving.verify import verify
from propsync.runbooks.archiving.verify_report import VerifyReport
from propsync.runbooks.backfill import Scope, backfill
from propsync.runbooks.dashboard import PAGE, write_dashboard
from propsync.runbooks.erasure.erase import Erased, erase, find
from propsync.runbooks.erasure.forget import forget
from propsync.runbooks.hints.hints import next_look, read_hints
from propsync.runbooks.news import in_markdown, news
from propsync.runbooks.night import night
from propsync.runbooks.nightly import nightly
from propsync.runbooks.notice import Ended
from propsync.runbooks.rebuilding.rebuild import rebuild
from propsync.runbooks.report import Report
from propsync.runbooks.run_frame import Step
from propsync.runbooks.workspace import configured_catalogue

__all__ = [
    "PAGE",
    "ArchiveReport",
    "Documents",
    "Ended",
    "Erased",
    "Report",
    "Scope",
    "Step",
    "VerifyReport",
    "archive",
    "backfill",
    "configured_catalogue",
    "erase",
    "find",
    "forget",
    "in_markdown",
    "news",
    "next_look",
    "night",
    "nightly",
    "read_hints",
    "rebuild",
    "verify",
    "write_dashboard",
]
