"""deploy/kubernetes/ is what Kubernetes and Prefect accept, and each pod in it has no rights that it needs not."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml
from deploy.image import of, stages
from deploy.unit_files import CHECKOUT, DEPLOY

from propsync.settings import settings_table

FOLDER = DEPLOY / "kubernetes"
CHECKER = CHECKOUT / ".cache" / "kubernetes-validate-1.37.0"
DOC = (CHECKOUT / "docs" / "kubernetes.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^\$ (.*)$", DOC.replace(" \\\n    ", " "), re.MULTILINE)
POOL = json.loads((FOLDER / "job-template.json").read_text(encoding="utf-8"))


def manifests() -> list[dict[str, Any]]:
    """Every object of the folder; the Job of Prefect's pool has no place that a worker fills in."""
    texts = (path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob("*.yaml")))
    return [
        *(one for text in texts for one in yaml.safe_load_all(text)),
        deepcopy(POOL["job_configuration"]["job_manifest"]),
    ]


def pods(tree: Any) -> Iterator[dict[str, Any]]:
    """Every pod's spec below `tree`."""
    if isinstance(tree, dict) and "containers" in tree:
        yield tree
    elif isinstance(tree, dict | list):
        for one in tree.values() if isinstance(tree, dict) else tree:
            yield from pods(one)


def checked(folder: Path, objects: list[dict[str, Any]], *versions: str) -> subprocess.CompletedProcess[str]:
    """The verdict of a checker with the schemas of Kubernetes, to which an unknown member is an error."""
    assert CHECKER.is_dir(), "run `make test`, which installs the checker"
    path = folder / "objects.yaml"
    path.write_text(yaml.safe_dump_all(objects), encoding="utf-8")
    wanted = [word for version in versions for word in ("-k", version)]
    command = [sys.executable, "-m", "kubernetes_validate", "--strict", *wanted, str(path)]
    environ = os.environ | {"PYTHONPATH": str(CHECKER)}
    return subprocess.run(command, env=environ, capture_output=True, text=True, check=False)


def test_kubernetes_takes_every_object(tmp_path: Path):
    objects = manifests()
    (job,) = (one for one in objects if one["kind"] == "Job")
    job["metadata"]["name"] = job["metadata"].pop("generateName") + "x"  # as the server names it
    for name in ("parallelism", "completions"):  # Prefect's worker demands them here; Kubernetes passes them over
        assert job["spec"]["template"]["spec"].pop(name) == 1
    done = checked(tmp_path, objects, "1.31", "1.37")
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(re.findall(" passed ", done.stdout + done.stderr)) == 2 * len(objects)


@pytest.mark.parametrize(
    ("path", "wrong"),
    [(("spec", "concurrencyPolicy"), 3), (("spec", "jobTemplate", "spec", "retries"), 3), (("spec",), {})],
)
def test_the_checker_refuses_what_kubernetes_would(tmp_path: Path, path: tuple[str, ...], wrong: object):
    (cron,) = (deepcopy(one) for one in manifests() if one["kind"] == "CronJob")
    place = cron
    for name in path[:-1]:
        place = place[name]
    place[path[-1]] = wrong
    assert checked(tmp_path, [cron], "1.37").returncode != 0


def test_one_night_at_a_time_and_no_second_try_of_what_propsync_has_judged():
    (cron,) = (one["spec"] for one in manifests() if one["kind"] == "CronJob")
    assert cron["concurrencyPolicy"] == "Forbid"
    rules = cron["jobTemplate"]["spec"]["podFailurePolicy"]["rules"]
    assert [rule["onExitCodes"]["values"] for rule in rules if "onExitCodes" in rule] == [[1, 2, 3, 4]]
    (pod,) = pods(cron)
    assert pod["containers"][0]["args"] == ["sync"]
    nightly = yaml.safe_load((CHECKOUT / "prefect.yaml").read_text(encoding="utf-8"))["deployments"][0]["schedules"]
    assert [{"cron": cron["schedule"], "timezone": cron["timeZone"]}] == nightly


def test_no_pod_has_a_right_that_it_needs_not():
    (user,) = (int(rest.split(":")[0]) for rest in of(stages()[1], "USER"))
    for pod in pods(manifests()):
        assert pod["automountServiceAccountToken"] is False
        assert pod["securityContext"]["runAsNonRoot"] is True
        assert pod["securityContext"]["runAsUser"] == pod["securityContext"]["fsGroup"] == user
        for container in pod["containers"]:
            rights = container["securityContext"]
            assert (rights["allowPrivilegeEscalation"], rights["readOnlyRootFilesystem"]) == (False, True)
            assert rights["capabilities"] == {"drop": ["ALL"]}
            assert container["resources"]["limits"].keys() >= {"memory", "ephemeral-storage"}


def test_every_disk_is_an_empty_one_of_a_bounded_size():
    for pod in pods(manifests()):
        for volume in pod["volumes"]:
            assert volume.keys() - {"name"} <= {"emptyDir", "secret"}
            assert "sizeLimit" in volume.get("emptyDir", {"sizeLimit": ""})
        (home,) = (one["mountPath"] for one in pod["containers"][0]["volumeMounts"] if one["name"] == "home")
        given = {one["name"]: one["value"] for one in pod["containers"][0].get("env", ())}
        # Kubernetes owns the volume itself, and propsync could not set its rights
        assert Path(given.get("PROPSYNC_HOME", f"{home}/home")).parent == Path(home)


def test_the_token_is_a_file_and_every_name_a_setting():
    names = {name for name, _, _ in settings_table()}
    for one in manifests():
        told = one.get("data", {}).keys() if one["kind"] == "ConfigMap" else set()
        env = {entry["name"] for pod in pods(one) for entry in pod["containers"][0].get("env", ())}
        given = {name for name in told | env if name.startswith("PROPSYNC_")}
        assert given <= names
        assert not {"PROPSYNC_TOKEN", "PROPSYNC_PUSH_TOKEN"} & given
    for pod in pods(manifests()):
        for secret in (one["secret"] for one in pod["volumes"] if "secret" in one):
            assert secret == {"secretName": "propsync-token", "defaultMode": 0o440}


def test_nobody_can_change_how_a_pod_of_prefect_starts():
    process = json.loads((CHECKOUT / "flows" / "job-template.json").read_text(encoding="utf-8"))
    assert POOL["variables"]["properties"] == process["variables"]["properties"]
    assert POOL["variables"]["additionalProperties"] is False
    assert "{{" not in json.dumps(POOL)
    (container,) = (pod["containers"][0] for pod in pods(POOL))
    words = [*container["command"], *container["args"]]
    assert " ".join(words) == POOL["job_configuration"]["command"] == process["job_configuration"]["command"]


def test_the_page_names_what_is_there():
    kinds = {command.split()[0] for command in COMMANDS}
    assert kinds == {"docker", "kubectl", "prefect", "pip"}
    for named in re.findall(r"deploy/kubernetes/[\w.-]+", DOC):
        assert (CHECKOUT / named).is_file(), named
    secrets = set(re.findall(r"create secret generic (\S+)", " ".join(COMMANDS)))
    used = set(re.findall(r'"secret(?:Name|Ref)": (?:"|\{"name": ")([\w-]+)', json.dumps(manifests())))
    assert secrets == used
    names = {(one["kind"].lower(), one["metadata"]["name"]) for one in manifests() if "name" in one["metadata"]}
    for kind, name in re.findall(r"(cronjob|deployment)/([\w-]+)", " ".join(COMMANDS)):
        assert (kind, name) in names


def test_prefect_is_set_up_as_on_any_other_server_but_for_its_pool():
    page = (CHECKOUT / "docs" / "prefect.md").read_text(encoding="utf-8")
    elsewhere = [
        line[2:] for line in page.splitlines() if line.startswith("$ prefect ") and "deployment run" not in line
    ]
    ours = [command for command in COMMANDS if command.startswith("prefect ")]
    pool = "--type kubernetes --base-job-template deploy/kubernetes/job-template.json"
    process = "--type process --base-job-template flows/job-template.json"
    assert [command.replace(pool, process) for command in ours] == elsewhere
