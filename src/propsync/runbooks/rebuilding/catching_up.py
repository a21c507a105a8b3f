"""A home in a bucket that another machine has used since: it first takes in what the bucket holds."""

from __future__ import annotations

import logging
from collections.abc import Callable

from propsync.errors import HomeBehind
from propsync.runbooks.rebuilding.rebuild import rebuild
from propsync.runbooks.report import Report
from propsync.settings import Settings

_log = logging.getLogger("propsync.sync")


def caught_up(settings: Settings, run: Callable[[], Report]) -> Report:
    """Calls a run that nobody watches; if home is behind its bucket, rebuilds home and calls it again."""
    try:
        return run()
    except HomeBehind as behind:
        _log.warning("%s: %s. propsync rebuilds this home from the bucket first", behind.where, behind.what)
        rebuild(settings)
        return run()
