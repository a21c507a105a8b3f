"""The tests that pytest-xdist gives to one worker with `--dist loadfile`: of one file, or of files that share much."""

from __future__ import annotations

from xdist.scheduler import LoadFileScheduling

_SHARED = {
    "tests/flows/test_deployments.py": "a Prefect server",
    "tests/flows/test_hints.py": "a Prefect server",
    "tests/flows/test_nightly.py": "a Prefect server",
    "tests/flows/test_push.py": "a Prefect server",
    "tests/flows/test_serve.py": "propsync serve",
    "tests/flows/test_serve_access.py": "propsync serve",
    "tests/questions/test_oracle.py": "a home with answers",
    "tests/questions/test_questions.py": "a home with answers",
}


class SharedFiles(LoadFileScheduling):
    """Schedules files that share a server or a home as if they were one file."""

    def _split_scope(self, nodeid: str) -> str:
        file = super()._split_scope(nodeid)
        return _SHARED.get(file, file)
