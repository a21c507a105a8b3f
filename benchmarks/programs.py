"""The contestants as programs: propsync, the floor, and dlt in its own environment."""

import json
import sys
from dataclasses import replace
from pathlib import Path

from benchmarks.measuring import ROOT, Cost, measured
from benchmarks.nginx import Api

PEER_PYTHON = ROOT / ".venv-dlt/bin/python"
PEER_MISSING = "dlt is not there, so its rows are left as they are. To have them: make bench-peers"


def propsync(command: str, api: Api, home: Path, memory_limit: str, *, documents: str = "none") -> Cost:
    """`propsync sync`, `archive`, `rebuild` or `status`; `documents` are the kinds to archive."""
    environment = {
        "PROPSYNC_BASE_URL": api.base_url,
        "PROPSYNC_TOKEN": api.token,
        "PROPSYNC_HOME": str(home),
        "PROPSYNC_MEMORY_LIMIT": memory_limit,
        "PROPSYNC_ARCHIVE_KINDS": documents,
        "PROPSYNC_ARCHIVE_MAX_GB": "100",
    }
    return measured([str(Path(sys.executable).with_name("propsync")), *command.split()], environment)


def floor(what: str, api: Api, folder: Path, memory_limit: str) -> Cost:
    """The bare script: "load", "quiet" or "reread"."""
    folder.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "benchmarks.floor", what, api.base_url, api.token, str(folder)]
    return measured(command, {"PROPSYNC_MEMORY_LIMIT": memory_limit})


def floor_documents(api: Api, folder: Path) -> Cost:
    """The bare loop over every document."""
    command = [sys.executable, "-m", "benchmarks.floor_documents", api.base_url, api.token, str(folder)]
    return measured(command, {})


def dlt(disposition: str, api: Api, folder: Path) -> Cost:
    """dlt with "merge" or "scd2", into a pipeline in `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    script = str(ROOT / "benchmarks/dlt/load.py")
    return measured([str(PEER_PYTHON), script, disposition, api.base_url, api.token, str(folder)], {})


def queries(warehouse: Path) -> dict[str, Cost]:
    """The cost of each of the typical queries on a warehouse."""
    cost = measured([sys.executable, "-m", "benchmarks.queries", str(warehouse)], {})
    told = json.loads(cost.said)
    return {name: replace(cost, wall_seconds=wall, cpu_seconds=cpu) for name, (wall, cpu) in told.items()}


def bare_import(modules: str) -> Cost:
    """Python that imports modules and ends."""
    return measured([sys.executable, "-c", f"import {modules}"], {})


def assert_equal(published: Path, folder: Path) -> None:
    """Compares propsync's published copy with the floor's, in a separate process that frees its memory at the end."""
    measured([sys.executable, "-m", "benchmarks.contents", str(published), str(folder)], {})
