"""A file system without locks is named, with the step against it."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from propsync.errors import HomeUnusable
from propsync.runs import RunLock, lock


@pytest.mark.parametrize("number", [errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP])
def test_a_file_system_without_locks_is_no_fault_of_propsync(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    """As on some network file systems, of which no test machine has one."""

    def refuse(handle: int, *, blocking: bool) -> bool:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(lock, "lock_descriptor", refuse)
    run_lock = RunLock(tmp_path / "run.lock")
    with pytest.raises(HomeUnusable, match="Set PROPSYNC_HOME to a folder on a local disk"), run_lock.held("sync", 0):
        pass
    with pytest.raises(HomeUnusable, match=r"run\.lock: cannot be locked"):
        run_lock.is_held()
