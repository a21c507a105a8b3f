"""`propsync serve` before anything is started: what it refuses, and with which exit code."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROPSYNC = str(Path(sys.executable).with_name("propsync"))


def serve(*options, **settings):
    environ = {name: value for name, value in os.environ.items() if not name.startswith("PROPSYNC_")} | settings
    return subprocess.run([PROPSYNC, *options], env=environ, capture_output=True, text=True, timeout=60)


@pytest.fixture
def home(tmp_path):
    return {"PROPSYNC_HOME": str(tmp_path / "home"), "PROPSYNC_BASE_URL": "https://api.invalid/v1"}


def test_settings_are_checked_first(tmp_path, home):
    done = serve("serve", PROPSYNC_HOME=home["PROPSYNC_HOME"], PROPSYNC_TOKEN="abcdefgh")
    assert (done.returncode, "PROPSYNC_BASE_URL: it is not set" in done.stderr) == (2, True)
    done = serve("serve", **home, PROPSYNC_TOKEN_FILE=str(tmp_path / "none"))
    assert (done.returncode, "PROPSYNC_TOKEN_FILE" in done.stderr) == (2, True)
    assert not (tmp_path / "home").exists()


def test_a_settings_file_elsewhere_is_refused(tmp_path, home):
    (tmp_path / "other.toml").write_text("")
    done = serve("--config", str(tmp_path / "other.toml"), "serve", **home, PROPSYNC_TOKEN="abcdefgh")
    assert (done.returncode, "runs would not read" in done.stderr) == (2, True)


def test_an_address_that_is_not_of_this_machine_is_told(tmp_path, home):
    """A token may also be in a block of Prefect's, so a lack of it is only a warning."""
    done = serve("serve", "--host", "192.0.2.1", **home)
    assert (done.returncode, "Give another with --port or --host" in done.stderr) == (2, True)
    assert "no token is set" in done.stderr
