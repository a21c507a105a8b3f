"""The contestants as programs: propsync, the floor, and dlt in its own environment."""

import json
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from benchmarks.measuring import ROOT, Cost, measured
from benchmarks.nginx import Api

PEER_PYTHON = ROOT / ".venv-dlt/bin/python"
PEER_MISSING = "dlt is not there, so its rows are left as they are. To have them: make bench-peers"


class Served(Protocol):
    """An API: its address and its token."""

    @property
    def base_url(self) -> str:
        """Without a slash at the end."""

    @property
    def token(self) -> str:
        """For reading and writing."""


def propsync(
    command: str,
    api: Served,
    home: Path,
    memory_limit: str,
    *,
    documents: str = "none",
    bucket: Mapping[str, str] | None = None,
) -> Cost:
    """`propsync sync`, `archive`, `rebuild`, `push` or `status`; `documents` are the kinds to archive.

    `bucket` has the variables of a home in a bucket.
    """
    program = str(Path(sys.executable).with_name("propsync"))
    return measured([program, *command.split()], _settings(api, home, memory_limit, documents) | {**(bucket or {})})


def sync_what_moves(api: Served, home: Path, delete_limit: str) -> Cost:
    """`propsync sync` of lists that move: it may leave one incomplete (exit code 3)."""
    program = str(Path(sys.executable).with_name("propsync"))
    settings = _settings(api, home, "1GB", "none") | {"PROPSYNC_DELETE_LIMIT": delete_limit}
    return measured([program, "sync"], settings, well=(0, 3))


def without_desk(api: Api, home: Path, memory_limit: str) -> Cost:
    """`propsync sync` that builds no mart and draws no dashboard."""
    return measured([sys.executable, "-m", "benchmarks.without_desk"], _settings(api, home, memory_limit, "none"))


def _settings(api: Served, home: Path, memory_limit: str, documents: str) -> dict[str, str]:
    return {
        "PROPSYNC_BASE_URL": api.base_url,
        "PROPSYNC_TOKEN": api.token,
        "PROPSYNC_HOME": str(home),
        "PROPSYNC_MEMORY_LIMIT": memory_limit,
        "PROPSYNC_ARCHIVE_KINDS": documents,
        "PROPSYNC_ARCHIVE_MAX_GB": "100",
    }


def floor(what: str, api: Api, folder: Path, memory_limit: str, desk: Path | None = None) -> Cost:
    """The bare script: "load", "learn", "night" or "reread"; `desk` is the folder that `write_desk_script` made."""
    folder.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "benchmarks.floor", what, api.base_url, api.token, str(folder)]
    return measured([*command, *([str(desk)] if desk else [])], {"PROPSYNC_MEMORY_LIMIT": memory_limit})


def write_desk_script(home: Path, folder: Path) -> None:
    """Writes down what the marts of a home take that has no marts, or those of the night before."""
    measured([sys.executable, "-m", "benchmarks.desk_script", str(home / "state/warehouse.duckdb"), str(folder)], {})


def floor_documents(api: Api, folder: Path, variables: Mapping[str, str] | None = None) -> Cost:
    """The bare loop over every document; `variables` name a bucket to put them into."""
    command = [sys.executable, "-m", "benchmarks.floor_documents", api.base_url, api.token, str(folder)]
    return measured(command, {**(variables or {})})


def floor_push(api: Served, edits: Path) -> Cost:
    """The bare loop over a file of edits."""
    return measured([sys.executable, "-m", "benchmarks.floor_push", api.base_url, api.token, str(edits)], {})


def dlt(disposition: str, api: Api, folder: Path) -> Cost:
    """dlt with "merge" or "scd2", into a pipeline in `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    script = str(ROOT / "benchmarks/dlt/load.py")
    return measured([str(PEER_PYTHON), script, disposition, api.base_url, api.token, str(folder)], {})


def dlt_begun(disposition: str, api: Served, folder: Path, limit: int) -> Cost:
    """dlt as its documentation begins, with that many records a page."""
    folder.mkdir(parents=True, exist_ok=True)
    script = str(ROOT / "benchmarks/dlt/begin.py")
    return measured([str(PEER_PYTHON), script, disposition, api.base_url, api.token, str(folder), str(limit)], {})


def queries(warehouse: Path) -> dict[str, Cost]:
    """The cost of each of the typical queries on a warehouse."""
    cost = measured([sys.executable, "-m", "benchmarks.queries", str(warehouse)], {})
    costs = json.loads(cost.said)
    return {name: replace(cost, wall_seconds=wall, cpu_seconds=cpu) for name, (wall, cpu) in costs.items()}


def bare_import(modules: str) -> Cost:
    """Python that imports modules and ends."""
    return measured([sys.executable, "-c", f"import {modules}"], {})


def assert_equal(published: Path, folder: Path) -> None:
    """Compares propsync's published copy with the floor's, in a separate process that frees its memory at the end."""
    measured([sys.executable, "-m", "benchmarks.contents", str(published), str(folder)], {})
