"""A process that has imported everything and forks a fresh one for each run (see `outside`)."""

from __future__ import annotations

import json
import logging
import os
import signal
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any, NoReturn

from . import one_reader
from .inside import Inside
from .kills import moments
from .outcome import Order


class Once(Inside):
    """A run in a process that really dies, with all that it started."""

    def _share(self) -> None:
        one_reader.have_one_each()

    def _copy(self) -> None:
        os.kill(os.getpid(), signal.SIGKILL)


def main() -> None:
    """One order a line; two lines back: the process id, and how it ended."""
    logging.disable()
    for line in sys.stdin:
        order = Order.from_json(json.loads(line))
        reading, writing = os.pipe()
        pid = os.fork()
        if not pid:
            os.close(reading)
            _run(order, writing)
        os.close(writing)
        _say({"pid": pid})
        with os.fdopen(reading, "rb") as pipe:
            told = pipe.read()
        _, status = os.waitpid(pid, 0)
        _say({"signal": os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0, "outcome": json.loads(told or b"null")})


def _run(order: Order, writing: int) -> NoReturn:
    outcome = Once(Path(order.environ["PROPSYNC_HOME"]).parent).run(order)
    os.write(writing, json.dumps(asdict(outcome)).encode())
    os._exit(0)


def _say(words: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(words) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    assert not moments.is_dead
    main()
