"""The environment that the programs of a service see, and its settings file."""

import os
import sys
from pathlib import Path

import pytest

from propsync.errors import SettingsError, UsageError
from propsync.serving.place import MARK, Place, check_config, settings_of_runs
from propsync.settings import load_settings


def place(folder, host="127.0.0.1"):
    return Place(folder, host, 4300)


def test_nothing_of_another_prefect_and_none_of_the_settings_comes_through(tmp_path):
    inherited = {"PREFECT_API_KEY": "k", "PREFECT_PROFILE": "cloud", "PROPSYNC_TOKEN": "t", "LANG": "C", "PATH": "/bin"}
    environ = place(tmp_path).environment(inherited, "INFO")
    assert not {"PREFECT_API_KEY", "PREFECT_PROFILE", "PROPSYNC_TOKEN"} & environ.keys()
    assert environ["LANG"] == "C"
    assert environ["PREFECT_API_URL"] == "http://127.0.0.1:4300/api"
    assert environ["PREFECT_HOME"] == str(tmp_path / "prefect")
    assert environ["PATH"] == f"{Path(sys.executable).parent}{os.pathsep}/bin"


def test_no_proxy_comes_between_the_programs_and_the_server(tmp_path):
    environ = place(tmp_path).environment({"no_proxy": "intranet"}, "INFO")
    assert environ["NO_PROXY"] == environ["no_proxy"]
    assert {"intranet", "127.0.0.1", "localhost"} <= set(environ["NO_PROXY"].split(","))


def test_every_environment_variable_of_prefect_is_a_setting_of_the_installed_one(tmp_path):
    """Prefect ignores one that it does not know, and says nothing."""
    from prefect.settings import Settings
    from prefect.settings.legacy import _get_settings_fields

    known = set(_get_settings_fields(Settings))
    given = {name for name in place(tmp_path).environment({}, "INFO") if name.startswith("PREFECT_")}
    assert given <= known


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("0.0.0.0", "http://127.0.0.1:4300"),
        ("::", "http://[::1]:4300"),
        ("10.1.2.3", "http://10.1.2.3:4300"),
        ("localhost", "http://localhost:4300"),
    ],
)
def test_the_server_is_asked_where_it_listens(tmp_path, host, url):
    assert place(tmp_path, host).url == url


def test_runs_get_paths_that_hold_in_any_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    inherited = {"PROPSYNC_HOME": "home", "PROPSYNC_TOKEN_FILE": "token", "PROPSYNC_PAGE_LIMIT": "7", "LANG": "C"}
    inherited["PROPSYNC_PUSH_TOKEN_FILE"] = "writes"
    settings = load_settings(environ=inherited)
    assert settings_of_runs(settings, inherited) == {
        "PROPSYNC_HOME": str(tmp_path / "home"),
        "PROPSYNC_TOKEN_FILE": str(tmp_path / "token"),
        "PROPSYNC_PUSH_TOKEN_FILE": str(tmp_path / "writes"),
        "PROPSYNC_PAGE_LIMIT": "7",
    }


def test_a_settings_file_that_runs_would_not_read_is_refused(tmp_path):
    settings = load_settings(environ={"PROPSYNC_HOME": str(tmp_path)})
    check_config(settings, None)
    check_config(settings, tmp_path / "propsync.toml")
    with pytest.raises(UsageError, match=r"runs would not read .*other\.toml\. Move it to .*propsync\.toml"):
        check_config(settings, tmp_path / "other.toml")


def test_the_folder_is_private(tmp_path):
    place(tmp_path / "home").prepare()
    assert (tmp_path / "home" / "prefect").stat().st_mode & 0o777 == 0o700
    (tmp_path / "file").write_text("")
    with pytest.raises(SettingsError, match="PROPSYNC_HOME"):
        place(tmp_path / "file").prepare()


def test_a_home_by_another_name_is_the_same_home(tmp_path: Path):
    (tmp_path / "home").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "home")
    one, other = (Place(tmp_path / name, "127.0.0.1", 4200) for name in ("home", "link"))
    assert one.mark == other.mark == one.environment({}, "INFO")[MARK]
