"""A mistake in settings ends with exit 2 and one line that names the setting, and with no traceback."""

from __future__ import annotations

from pathlib import Path

import pytest
from kit.command_line import Done


def assert_one_line(done: Done, code: int, *words: str) -> None:
    lines = [line for line in done.stderr.strip().splitlines() if not line.startswith("20")]
    assert done.returncode == code, done.stderr
    assert len(lines) == 1, done.stderr
    for word in words:
        assert word in lines[0]


def test_a_missing_token(propsync):
    assert_one_line(propsync("sync", token=None), 2, "PROPSYNC_TOKEN")


def test_a_missing_address(propsync):
    assert_one_line(propsync("sync", base_url=None), 2, "PROPSYNC_BASE_URL")


def test_http_that_is_not_loopback(propsync):
    assert_one_line(propsync("sync", base_url="http://api.example.org"), 2, "PROPSYNC_BASE_URL", "https")


def test_a_malformed_settings_file(propsync, tmp_path: Path):
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "propsync.toml").write_text("page_limit = = 3\n")
    assert_one_line(propsync("sync"), 2, "propsync.toml", "line 1")


def test_a_settings_file_that_is_not_there(propsync, tmp_path: Path):
    assert_one_line(propsync("--config", str(tmp_path / "none.toml"), "sync"), 2, "none.toml")


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("page_limit", "5000", "it is too large. Give a whole number from 1 to 1000"),
        ("page_limit", "5.5", "it is not a whole number. Give a whole number"),
        ("memory_limit", "lots", "it is not a size. Give a size"),
        ("delete_limit", "2", "it is too large. Give a share"),
        ("delete_limit", "2%", "it is not a number. Give a share"),
        ("delete_limit", "nan", "it is not a number. Give a share"),
        ("lock_wait", "-1", "it is too small. Give a number of seconds"),
        ("archive_text", "maybe", "it is neither true nor false. Give true or false"),
    ],
)
def test_a_value_out_of_bounds(propsync, name: str, value: str, reason: str):
    done = propsync("sync", **{name: value})
    assert_one_line(done, 2, f"PROPSYNC_{name.upper()} (environment): '{value}' cannot be used: {reason}")


@pytest.mark.parametrize(
    ("toml", "reason"),
    [
        ("page_limit = 5.5", "5.5 cannot be used: it is not a whole number. Give"),
        ("page_limit = [5]", "[5] cannot be used: it is not a whole number. Give"),
        ("delete_limit = []", "[] cannot be used: it is not a number. Give"),
        ("archive_text = []", "[] cannot be used: it is neither true nor false. Give"),
        ("archive_max_gb = 0", "0 cannot be used: it is too small. Give"),
        ("reference = 'x.csv'", "'x.csv' cannot be used: it is not a table. Give"),
    ],
)
def test_a_value_of_another_kind_in_the_settings_file(propsync, home: Path, toml: str, reason: str):
    home.mkdir()
    (home / "propsync.toml").write_text(f"{toml}\n")
    assert_one_line(propsync("sync"), 2, reason)


def test_an_unwritable_home(propsync, tmp_path: Path):
    (tmp_path / "file").write_text("not a folder")
    assert_one_line(propsync("sync", home=str(tmp_path / "file" / "home")), 2, "PROPSYNC_HOME")


def test_a_home_that_is_a_link_to_a_disk_that_is_not_mounted(propsync, tmp_path: Path):
    (tmp_path / "link").symlink_to(tmp_path / "disk" / "home")
    done = propsync("sync", home=str(tmp_path / "link"))
    assert_one_line(
        done, 2, "PROPSYNC_HOME: ", f"is a link to {tmp_path}/disk/home, which does not exist. Mount that disk"
    )


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("backfill --asset x", 2),
        ("rebuild", 2),
        ("doctor", 2),
        ("archive verify", 2),
        ("archive export bag", 2),
        ("query --tables", 2),
        ("status --max-age 1h", 3),
    ],
)
def test_a_home_that_is_a_file_is_no_fault_of_any_command(propsync, tmp_path: Path, words: str, code: int):
    (tmp_path / "file").write_text("not a folder")
    done = propsync(*words.split(), home=str(tmp_path / "file"))
    assert done.returncode == code
    assert "fault in propsync" not in done.stderr
    if code == 2:
        assert_one_line(done, 2, str(tmp_path / "file"))


@pytest.mark.parametrize("name", ["a?b", "a\\b"])
def test_a_home_where_duckdb_cannot_keep_a_file_is_told_before_anything_is_done(propsync, tmp_path: Path, name: str):
    assert_one_line(propsync("sync", home=str(tmp_path / name)), 2, "PROPSYNC_HOME (environment)", "DuckDB cannot")
    assert list(tmp_path.iterdir()) == []


def test_too_little_memory_is_told_with_the_least_that_works(propsync):
    for words in (("sync",), ("query", "select 1")):
        assert_one_line(propsync(*words, memory_limit="1B"), 2, "PROPSYNC_MEMORY_LIMIT", "64MB is the least that works")


def test_a_wrong_token(propsync):
    done = propsync("sync", token="not-the-token-of-this-server")
    assert_one_line(done, 1, "401", "PROPSYNC_TOKEN")


def test_a_certificate_that_nobody_trusts(propsync, tmp_path: Path):
    import ssl

    import trustme

    from propsync_sandbox import Sandbox

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    trustme.CA().issue_cert("127.0.0.1").configure_cert(context)
    with Sandbox(scale=10, tls=context) as secure:
        done = propsync("sync", base_url=secure.base_url, token=secure.token)
    assert_one_line(done, 1, "certificate")


def test_a_log_level_that_there_is_not(propsync):
    assert_one_line(propsync("--log-level", "LOUD", "sync"), 2, "--log-level: 'LOUD' is no level. Give one of debug")
    assert propsync("--log-level", "Warning", "status").returncode == 0
