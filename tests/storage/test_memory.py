"""A large file costs a program a bounded amount of memory on its way to a bucket and back."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from kit.programs import environment
from kit.stores import Stores
from variants import slow

LARGE = 200_000_000  # bytes
MOST = 90_000_000  # of more memory than before: four parts of 8 MiB under way, and what the library needs
PROGRAM = """
import re, sys
from pathlib import Path
from propsync.settings import load_settings
from propsync.storage.objects import ObjectStorage
def peak():  # of this program alone: getrusage knows the peak of the one that started it too
    return int(re.search(r"VmHWM:\\s*(\\d+) kB", Path("/proc/self/status").read_text())[1]) * 1000
storage = ObjectStorage(load_settings().storage())
storage.put("small", b"x")
before = peak()
storage.put_file("large", Path(sys.argv[1]))
size = sum(len(block) for block in storage.read("large"))
print(size, peak() - before)
storage.delete("large")
"""


@pytest.mark.release
@pytest.mark.parametrize("name", ["ministack", *slow("azurite")])
def test_a_large_file_needs_little_memory(stores: Stores, name: str, tmp_path: Path):
    path = tmp_path / "large"
    with path.open("wb") as file:
        file.truncate(LARGE)
    environ = environment(**stores[name].environ("memory"))
    done = subprocess.run([sys.executable, "-c", PROGRAM, str(path)], env=environ, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    size, grown = map(int, done.stdout.split())
    assert size == LARGE
    assert grown < MOST
    print(f"{grown / 1e6:.0f} MB")
