"""If the system lets no file grow or gives no memory, propsync names the cause, and asks for no rebuild."""

from __future__ import annotations

import errno
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from propsync.errors import FileLimited, StateUnusable
from propsync.storage import disk_errors
from propsync.warehouse.connection import our_errors

LIMITED = """
import resource, sys
from pathlib import Path
from propsync.warehouse import Warehouse

path = Path(sys.argv[1])
warehouse = Warehouse(path, memory_limit="200MB", folder=path.parent)
resource.setrlimit(resource.RLIMIT_FSIZE, (6_000_000, 6_000_000))
filling = "create table if not exists filling as select i, md5(i::text) as t from range(600_000) r(i)"
for sql in (filling, "checkpoint", "select 1"):
    try:
        warehouse.execute(sql)
    except Exception as error:
        print(type(error).__name__, error)
"""


def test_every_error_after_the_limit_names_it(tmp_path: Path):
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, tmp_path / "state.duckdb"], capture_output=True, text=True, check=False
    )
    said = done.stdout.splitlines()
    assert len(said) == 3
    assert all(line.startswith("FileLimited") and "ulimit -f" in line for line in said)
    with duckdb.connect(tmp_path / "state.duckdb") as connection:
        assert connection.execute("select count(*) from ops.schema_version").fetchall() == [(1,)]


def test_a_file_that_duckdb_gave_up_names_the_first_error(tmp_path: Path):
    words = 'FATAL Error: Failed: database has been invalidated\nOriginal error: "Failed to read block 7"'
    with pytest.raises(StateUnusable, match=r"Failed to read block 7\. Run `propsync rebuild`"), our_errors(tmp_path):
        raise duckdb.FatalException(words)


def test_a_commit_whose_log_the_disk_refuses_names_the_disk(tmp_path: Path):
    words = 'TransactionContext Error: Failed to commit: Could not write file "x.wal": Input/output error'
    with pytest.raises(StateUnusable, match="look at the messages of the system"), our_errors(tmp_path):
        raise duckdb.TransactionException(words)


def test_other_files_name_the_limit_too(tmp_path: Path):
    with pytest.raises(FileLimited, match="no file may grow further"), disk_errors(tmp_path):
        raise OSError(errno.EFBIG, "File too large")


GIVEN_NO_MEMORY = """
import resource, sys
from pathlib import Path
from propsync.warehouse import Warehouse

path = Path(sys.argv[1])
warehouse = Warehouse(path, memory_limit="8GB", folder=path.parent)
used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 30_000_000,) * 2)
try:
    warehouse.execute("create temp table filling as select i, md5(i::text) as t from range(3_000_000) r(i)")
except Exception as error:
    print(type(error).__name__, error)
"""


def test_memory_that_the_system_refuses_is_not_asked_of_the_setting(tmp_path: Path):
    """Raising PROPSYNC_MEMORY_LIMIT there would only let DuckDB ask for more."""
    done = subprocess.run(
        [sys.executable, "-c", GIVEN_NO_MEMORY, tmp_path / "state.duckdb"], capture_output=True, text=True, check=False
    )
    assert done.stdout.startswith("MergeFailed")
    assert "(bad allocation). Raise the limits of this process (`ulimit -v`" in done.stdout
