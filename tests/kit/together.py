"""The tests that pytest-xdist gives to one worker with `--dist loadfile`: of one file, or of files with one server."""

from __future__ import annotations

from xdist.scheduler import LoadFileScheduling

_SHARED = {
    "tests/flows/test_deployments.py": "a Prefect server",
    "tests/flows/test_nightly.py": "a Prefect server",
    "tests/flows/test_serve.py": "propsync serve",
    "tests/flows/test_serve_access.py": "propsync serve",
}


class SharedServers(LoadFileScheduling):
    """Schedules files that share a server as if they were one file."""

    def _split_scope(self, nodeid: str) -> str:
        file = super()._split_scope(nodeid)
        return _SHARED.get(file, file)
