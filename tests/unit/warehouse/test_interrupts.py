"""DuckDB hears of a signal before Python does; it ends a run like any other Ctrl-C."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path

import pytest

from propsync.warehouse import Warehouse


@pytest.mark.release
def test_a_statement_that_is_interrupted_is_an_interruption_and_no_fault(tmp_path: Path):
    with Warehouse(tmp_path / "warehouse.duckdb", memory_limit="200MB", folder=tmp_path) as warehouse:
        threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
        with pytest.raises(KeyboardInterrupt):
            warehouse.rows("select count(*) from range(300000) as one, range(300000) as other")
        assert warehouse.value("select 1") == 1
