"""A Dask scheduler and workers that really run, for a home in a bucket on a server that really runs."""

from __future__ import annotations

import socket
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Self

import pytest
from kit.programs import BIN, environment, free_port, running, wait_until

TOKEN = "the-token-that-only-workers-and-the-run-may-have"


class Dask:
    """A scheduler and its workers; `environ` is what a worker has of settings and keys."""

    def __init__(self, root: Path, environ: Mapping[str, str]) -> None:
        self.root, self._environ, self._stack = root, environ, ExitStack()
        self.address = f"tcp://127.0.0.1:{free_port()}"
        self.workers: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> Self:
        port = self.address.rpartition(":")[2]
        self._start("scheduler", {}, "--host", "127.0.0.1", "--port", port, "--no-dashboard")
        wait_until(lambda: _listens(int(port)), 30, self.root / "scheduler.log")
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def start_worker(self, **others: str) -> None:
        """One more worker: a process that fetches a batch at a time, and that nothing starts again."""
        name = f"worker-{len(self.workers)}"
        options = ("--no-nanny", "--nthreads", "1", "--no-dashboard", "--name", name, "--host", "127.0.0.1")
        folder = self.root / name
        folder.mkdir()
        environ = {**self._environ, "HOME": str(folder), **others}
        self.workers.append(
            self._start("worker", environ, self.address, *options, "--local-directory", str(folder), log=name)
        )
        wait_until(lambda: "Registered to" in self.log(name), 30, self.root / f"{name}.log")

    def log(self, name: str) -> str:
        """The log lines of a program."""
        return (self.root / f"{name}.log").read_text(errors="replace")

    def _start(self, kind: str, environ: Mapping[str, str], *words: str, log: str = "") -> subprocess.Popen[bytes]:
        told = environment(**environ, DASK_LOGGING__DISTRIBUTED="debug", DASK_LOGGING__PROPSYNC="debug")
        command = [str(BIN / "dask"), kind, *words]
        return self._stack.enter_context(running(command, self.root / f"{log or kind}.log", told, self.root))


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture
def dask(tmp_path: Path, bucket: dict[str, str]) -> Iterator[Dask]:
    """A scheduler without workers yet."""
    folder = tmp_path / "dask"
    folder.mkdir()
    with Dask(folder, {**bucket, "PROPSYNC_TOKEN": TOKEN}) as made:
        yield made


@pytest.fixture
def bucket(stores) -> dict[str, str]:
    """The variables that make an empty folder of a bucket the home."""
    return dict(stores["ministack"].environ())
