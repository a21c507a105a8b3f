"""A home in a bucket that another machine has used since: it first takes in what the bucket holds."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace

from propsync.errors import HomeBehind
from propsync.runbooks.rebuilding.rebuild import rebuild_in
from propsync.runbooks.report import Report
from propsync.runbooks.workplace import workplace
from propsync.settings import Settings

_log = logging.getLogger("propsync.sync")


def caught_up(settings: Settings, run: Callable[[], Report]) -> Report:
    """Calls a run that nobody watches; if home is behind its bucket, rebuilds home and calls it again.

    The notice of that run tells of the rebuild too: a receiver tries again and again.
    """
    try:
        return run()
    except HomeBehind as behind:
        _log.warning("%s: %s. propsync rebuilds this home from the bucket first", behind.where, behind.what)
        with workplace(settings, "propsync rebuild", may_be_behind=True) as place:
            rebuilt = rebuild_in(place, settings)
        report = run()
        lines = [line for line in rebuilt.left_behind if line not in report.left_behind]
        return replace(report, notes=[*lines, *report.notes])
