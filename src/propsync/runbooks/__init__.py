"""The one place that puts steps in order."""

from propsync.runbooks.archive import ArchiveReport, Documents, archive
from propsync.runbooks.backfill import Scope, backfill
from propsync.runbooks.night import night
from propsync.runbooks.nightly import nightly
from propsync.runbooks.rebuild import rebuild
from propsync.runbooks.report import Report
from propsync.runbooks.site import Site, make_home

__all__ = [
    "ArchiveReport",
    "Documents",
    "Report",
    "Scope",
    "Site",
    "archive",
    "backfill",
    "make_home",
    "night",
    "nightly",
    "rebuild",
]
