"""One process that reads PDFs, for all runs of this process: to start one takes longer than a small archive."""

from __future__ import annotations

import atexit
from functools import cache, partial
from types import TracebackType
from typing import Any

from propsync.documents.worker.client import WorkerPool
from propsync.runbooks.archiving import workspace as archive_site


class _Shared(WorkerPool):
    """Stays when a run is done with it."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Its end is that of this process."""


@cache
def _reader() -> _Shared:
    reader = _Shared(workers=1)
    atexit.register(reader.close)
    return reader


def share() -> None:
    """Once in the life of a process."""
    module: Any = archive_site
    module.WorkerPool = lambda **_: _reader()


def have_one_each() -> None:
    """Each run starts its own, which dies with it; one is enough for what few documents there are."""
    module: Any = archive_site
    module.WorkerPool = partial(WorkerPool, workers=1)
