"""A Spark cluster on this computer: a master and its workers, each a process of its own on loopback."""

from __future__ import annotations

import os
import re
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

PLACE = Path(__file__).parents[2] / ".cache" / "spark"
"""`make spark` installs pyspark and Delta's jars there."""
_WAIT = 120  # seconds


@contextmanager
def running(folder: Path, *, workers: int = 2, cores: int = 1, memory: str = "2g") -> Iterator[str]:
    """The address of a master with its workers at work; `folder` has their logs."""
    with ExitStack() as stack:
        master = ["org.apache.spark.deploy.master.Master", "--host", "127.0.0.1", "--port", "0", "--webui-port", "0"]
        stack.enter_context(_started(master, folder, "master"))
        (address,) = _seen(folder / "master.log", r"(spark://127\.0\.0\.1:\d+)", 1)[:1]
        for number in range(workers):
            worker = ["org.apache.spark.deploy.worker.Worker", "--host", "127.0.0.1", "--webui-port", "0"]
            worker += [
                "--cores",
                str(cores),
                "--memory",
                memory,
                "--work-dir",
                str(folder / f"worker-{number}"),
                address,
            ]
            stack.enter_context(_started(worker, folder, f"worker-{number}"))
        _seen(folder / "master.log", r"Registering worker 127\.0\.0\.1:\d+", workers)
        yield address


def environ(**more: str) -> dict[str, str]:
    """The environment of every program of Spark."""
    python = str(PLACE / "python")
    return os.environ | {"PYTHONPATH": python, "SPARK_HOME": f"{python}/pyspark", "SPARK_LOCAL_IP": "127.0.0.1", **more}


@contextmanager
def _started(words: Sequence[str], folder: Path, name: str) -> Iterator[None]:
    program = str(PLACE / "python" / "pyspark" / "bin" / "spark-class")
    with (
        (folder / f"{name}.log").open("wb") as log,
        subprocess.Popen([program, *words], env=environ(), stdout=log, stderr=log) as process,
    ):
        try:
            yield
        finally:
            process.terminate()


def _seen(log: Path, pattern: str, times: int) -> list[str]:
    """Every match in a log, as soon as it has that number of them."""
    until = time.monotonic() + _WAIT
    while time.monotonic() < until:
        found = re.findall(pattern, log.read_text(encoding="utf-8", errors="replace"))
        if len(found) >= times:
            return found
        time.sleep(0.1)
    raise TimeoutError(f"{log} does not say {pattern}: {log.read_text(encoding='utf-8', errors='replace')[-2000:]}")
