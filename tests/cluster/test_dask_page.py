"""docs/dask.md is true: what it starts runs, and the run reaches it."""

from __future__ import annotations

import shlex
import subprocess
from contextlib import ExitStack
from pathlib import Path

import pytest
import yaml
from faces.pages import PAGES, ROOT
from kit.programs import BIN, PROGRAM, environment, free_port, running, wait_until

COMMANDS = [line.strip()[2:] for line in PAGES["dask.md"].text.splitlines() if line.strip().startswith("$ ")]
SCHEDULER, WORKER, RUN, APPLY = COMMANDS


@pytest.mark.slow
def test_the_commands_of_the_page_find_each_other(bucket: dict[str, str], tmp_path: Path):
    port = str(free_port())
    environ = environment(**bucket, PROPSYNC_TOKEN="a-token-of-the-page", PROPSYNC_HOME=str(tmp_path / "home"))
    environ |= {"PROPSYNC_BASE_URL": "http://127.0.0.1:1"}

    def words(command: str) -> list[str]:
        program, *others = shlex.split(command.replace("8786", port))
        return [str(BIN / program), *others]

    with ExitStack() as stack:
        for name, command in (("scheduler", SCHEDULER), ("worker", WORKER)):
            log = tmp_path / f"{name}.log"
            stack.enter_context(running(words(command), log, environ, tmp_path))
            said = "Scheduler at" if name == "scheduler" else "Registered to"
            wait_until(lambda log=log, said=said: said in log.read_text(), 60, log)  # type: ignore[misc]
        done = subprocess.run(words(RUN), env=environ, capture_output=True, text=True, check=False)
    assert words(RUN)[0] == PROGRAM
    assert (done.returncode, "propsync has not synced yet" in done.stderr) == (2, True), done.stderr


def test_the_objects_for_kubernetes_are_there_and_start_the_same():
    path = ROOT / APPLY.split()[-1]
    objects = list(yaml.safe_load_all(path.read_text(encoding="utf-8")))
    pods = [one["spec"]["template"]["spec"]["containers"][0] for one in objects if one["kind"] == "Deployment"]
    assert [pod["command"] for pod in pods] == [["dask", "scheduler"], ["dask", "worker"]]
    assert pods[1]["args"][1:6] == shlex.split(WORKER)[3:8]
