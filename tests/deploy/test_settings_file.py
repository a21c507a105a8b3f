"""deploy/propsync.env.example is read alike by all that read it, and holds no secret."""

from __future__ import annotations

import re
import subprocess

from deploy.unit_files import DEPLOY, variables

from propsync.settings import settings_table

EXAMPLE = DEPLOY / "propsync.env.example"


def offered() -> dict[str, str]:
    """Every setting of the file, those that are commented out too."""
    found = re.findall(r"^#?(PROPSYNC_\w+)=(.*)$", EXAMPLE.read_text(encoding="utf-8"), re.MULTILINE)
    return dict(found)


def test_every_name_is_a_setting_and_none_a_token():
    assert set(offered()) <= {name for name, _, _ in settings_table()}
    assert not [name for name in offered() if "TOKEN" in name]


def test_no_value_holds_what_one_of_the_readers_would_take_apart():
    assert all(re.fullmatch(r"[\w./:,@+-]+", given) for given in offered().values())


def test_cron_reads_it_as_systemd_does():
    command = f"env $(grep -v '^#' {EXAMPLE}) env"
    told = subprocess.run(["/bin/sh", "-c", command], env={}, capture_output=True, text=True, check=True).stdout
    ours = dict(line.split("=", 1) for line in told.splitlines() if line.startswith("PROPSYNC_"))
    assert ours == variables(EXAMPLE)
