"""The one place that puts steps in order."""

from propsync.runbooks.archive import ArchiveReport, Documents, archive
from propsync.runbooks.archive_verify import VerifyReport, verify
from propsync.runbooks.backfill import Scope, backfill
from propsync.runbooks.news import news
from propsync.runbooks.night import night
from propsync.runbooks.nightly import nightly
from propsync.runbooks.one_run import Step
from propsync.runbooks.rebuild import rebuild
from propsync.runbooks.report import Report
from propsync.runbooks.site import Site, make_home

__all__ = [
    "ArchiveReport",
    "Documents",
    "Report",
    "Scope",
    "Site",
    "Step",
    "VerifyReport",
    "archive",
    "backfill",
    "make_home",
    "news",
    "night",
    "nightly",
    "rebuild",
    "verify",
]
