"""A sync as a program of its own on a bucket in a folder; it freezes at a moment that its environment names."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from propsync.bucket import lease
from propsync.cli.main import run
from propsync.runbooks import workplace
from propsync.settings import StorageAccess

sys.path.insert(0, str(Path(__file__).parent.parent))
from kit.bucket import FolderBucket

FREEZE = os.environ.get("FREEZE", "")
lease.SECONDS = 1.0


@contextmanager
def around(verb: str, key: str) -> Iterator[None]:
    """Freezes after a request to the bucket."""
    yield
    if FREEZE and f"{verb} {key}".startswith(FREEZE):
        freeze()


def freeze() -> None:
    """Once."""
    global FREEZE
    FREEZE = ""
    if threading.current_thread() is threading.main_thread():
        os.kill(os.getpid(), signal.SIGSTOP)


def opened(access: StorageAccess) -> FolderBucket:
    """The bucket."""
    return FolderBucket(Path("/") / access.prefix, around)


def replaced(self: Path, target: Path) -> Path:
    """Freezes after a file took its place on the disk."""
    made = replace(self, target)
    if FREEZE and f"replace {Path(target).name}" == FREEZE:
        freeze()
    return made


replace = Path.replace
Path.replace = replaced  # type: ignore[method-assign, assignment]
workplace.object_storage = opened  # type: ignore[assignment]
sys.argv = ["propsync", "sync", "--no-archive"]
run()
