"""What holds for all tests."""

from __future__ import annotations

import os
import shutil
import signal
from pathlib import Path

# tests hear of Ctrl-C, and so do the programs they start, also where a shell runs them all in the background
signal.signal(signal.SIGINT, signal.default_int_handler)

# homes of tests are in memory where there is plenty: what a disk adds is waiting (`--basetemp` puts them elsewhere)
_MEMORY = Path("/dev/shm")
_PLENTY = 6 * 10**9
if _MEMORY.is_dir() and shutil.disk_usage(_MEMORY).free > _PLENTY:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(_MEMORY))
