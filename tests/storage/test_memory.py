"""A large file costs a program a bounded amount of memory on its way to a bucket and back."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from kit.programs import environment
from kit.stores import Stores
from variants import slow

LARGE = 320_000_000  # bytes
MOST = 130_000_000  # of more memory than before: four parts of 8 MiB on their way, twice, and what the library needs
PROGRAM = """
import resource, sys
from pathlib import Path
from propsync.settings import load_settings
from propsync.storage.objects import ObjectStorage
storage = ObjectStorage(load_settings().storage())
storage.put("small", b"x")
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
storage.put_file("large", Path(sys.argv[1]))
size = sum(len(block) for block in storage.read("large"))
print(size, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024)
storage.delete("large")
"""


@pytest.mark.slow
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
