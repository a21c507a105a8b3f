"""The service from start to stop: server, remains of an earlier service, deployments, worker."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from propsync.errors import Busy, PropsyncError
from propsync.runs import RunLock
from propsync.serving import programs
from propsync.serving.dead_runs import POOL, mark_dead
from propsync.serving.deployments import automate, deploy, make_pool, next_run
from propsync.serving.listener import listening
from propsync.serving.login import Login
from propsync.serving.place import Place, settings_of_runs
from propsync.serving.programs import Program, guarded
from propsync.serving.server import Server
from propsync.settings import Settings

NIGHTLY = "propsync-nightly/nightly"
_DIED = (
    "the machine or the service stopped while the run was at work; the next run resumes from the pages that it had read"
)
_STOPPED = "the service was stopped while the run was at work; the next run resumes from the pages that it had read"
# together under the ten seconds that a container has to stop
_PATIENCE = 3.0
_logger = logging.getLogger("propsync.serving")


class Service:
    """Server and worker under `place`; both run during the block of `running`."""

    def __init__(self, settings: Settings, place: Place, level: str) -> None:
        self._settings, self.place = settings, place
        self._login = Login()
        self._environ = place.environment(os.environ, level) | self._login.of_clients
        self._server = Server(place.api, self._login.header)
        self._programs: list[Program] = []

    @contextmanager
    def running(self, before_end: Callable[[], None]) -> Iterator[None]:
        """Starts everything, and stops it at the end. Raises Busy, UsageError, StopRun.

        `before_end` prevents any interruption of the end, whose every wait is bounded.
        """
        self.place.prepare()
        with self._lock():
            try:
                self._start()
                yield
            finally:
                before_end()
                self._stop()

    def watch(self) -> None:
        """Watches the programs until something raises an error. Raises StopRun if one ends by itself."""
        while True:
            for program in self._programs:
                program.check()
            time.sleep(0.5)

    def next_run(self) -> datetime | None:
        """The next run of the nightly deployment; None if its timetable is paused or empty."""
        return next_run(self._server, NIGHTLY)

    @contextmanager
    def _lock(self) -> Iterator[None]:
        lock = RunLock(self.place.folder / "serve.lock")
        try:
            with lock.held("the service", 0):
                yield
        except Busy:
            raise Busy("serve", f"{lock.holder()} is up for {self.place.home}", "Stop that one first") from None

    def _start(self) -> None:
        if left := programs.end_all(self.place.mark, _PATIENCE):
            _logger.warning("ended %d processes of a killed service", left)
        with listening("serve", self.place.host, self.place.port) as listener:
            self._login.keep(self.place.login, self.place.client, self.place.api)
            _logger.info("starting the Prefect server")
            server = self._begin_server(listener.fileno())
        self._server.wait(server.check)
        if dead := mark_dead(self._server, _DIED):
            _logger.warning("marked %d runs as crashed, which were at work when a service ended", dead)
        _logger.info("deploying")
        make_pool(self._server)
        deploy(self._server, self._prefect, self._settings.time_zone, self.place.folder)
        automate(self._server, self._prefect)
        # only the worker gets propsync's settings, for its runs
        worker = ("worker", "start", "--pool", POOL, "--name", "propsync")
        self._begin(Program("worker", worker, *self._ground("worker", settings_of_runs(self._settings, os.environ))))

    def _begin_server(self, descriptor: int) -> Program:
        words = ("server", "start", "--host", self.place.host, "--socket", str(descriptor))
        ground = self._ground("server", self._login.of_server)
        return self._begin(Program("server", words, *ground, program=guarded(), descriptors=[descriptor]))

    def _ground(self, name: str, own: Mapping[str, str]) -> tuple[Path, dict[str, str], Path]:
        """A program's log, environment and folder."""
        return self.place.logs / f"{name}.log", {**self._environ, **own}, self.place.folder

    def _begin(self, program: Program) -> Program:
        self._programs.append(program)
        return program

    def _prefect(self, *words: str, cwd: Path | None = None) -> None:
        programs.run(words, self._environ, cwd or self.place.folder)

    def _stop(self) -> None:
        """Stops the worker, then its runs, which it marks while the server still answers; nothing remains."""
        server, workers = self._programs[:1], self._programs[1:]
        for worker in workers:
            worker.stop(_PATIENCE)
        programs.end_all(self.place.mark, _PATIENCE, spared=[one.pid for one in server])
        if workers:
            self._mark_stopped()
        for program in server:
            program.stop(_PATIENCE)
        programs.end_all(self.place.mark, _PATIENCE)

    def _mark_stopped(self) -> None:
        try:
            mark_dead(self._server, _STOPPED)
        except PropsyncError as error:  # the next start marks them
            _logger.debug("runs were not marked: %s", error)
