"""The one place that puts steps in order."""

from propsync.runbooks.backfill import Scope, backfill
from propsync.runbooks.nightly import nightly
from propsync.runbooks.rebuild import rebuild
from propsync.runbooks.report import Report
from propsync.runbooks.site import Site, make_home

__all__ = ["Report", "Scope", "Site", "backfill", "make_home", "nightly", "rebuild"]
