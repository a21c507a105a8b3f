"""`propsync erase --verify` says what it found, what it could not read, and what lies beyond it."""

from __future__ import annotations

import gzip
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from kit.command_line import CommandLine

WORD = "Zyx Quagmire"


@pytest.fixture
def propsync(tmp_path: Path) -> CommandLine:
    (tmp_path / "home" / "state").mkdir(parents=True)
    return CommandLine(tmp_path, {"PROPSYNC_HOME": str(tmp_path / "home"), "PROPSYNC_TIME_ZONE": "UTC"})


def test_a_clean_home_ends_with_0_and_names_what_lies_beyond(propsync: CommandLine) -> None:
    done = propsync("erase", "--verify", "--text", WORD)
    assert done.returncode == 0
    assert "No trace." in done.stdout
    assert "propsync does not know when they expire: set PROPSYNC_BACKUP_DAYS" in done.stdout
    assert WORD not in done.stdout + done.stderr


def test_the_day_by_which_backups_expire_is_named(propsync: CommandLine) -> None:
    told = json.loads(propsync("erase", "--verify", "--asset", "a-123", "--json", backup_days="30").stdout)
    day = (datetime.now(UTC) + timedelta(days=30)).date()
    assert f"until {day}" in told["beyond"][0]["until"]
    assert (told["verdict"], told["exit_code"]) == ("clean", 0)


def test_a_trace_and_a_file_that_cannot_be_read_each_end_with_3(propsync: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "home" / "cut").write_bytes(gzip.compress(b"nothing" * 100)[:-9])
    done = propsync("erase", "--verify", "--text", WORD)
    assert done.returncode == 3
    assert "Not read: cut: gzip" in done.stdout
    assert "No trace." not in done.stdout
    (tmp_path / "home" / "one").write_text(WORD.upper())
    told = json.loads((done := propsync("erase", "--verify", "--text", WORD, "--json")).stdout)
    assert (told["verdict"], done.returncode) == ("found", 3)
    assert told["traces"] == [{"file": "one", "place": "byte 0, as text"}]


def test_a_text_may_come_by_standard_input(propsync: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "home" / "one").write_text(WORD)
    assert propsync("erase", "--verify", "--text", "-", given=f"{WORD}\n".encode()).returncode == 3
    refused = propsync("erase", "--verify", "--text", "-", given=b"\n")
    assert (refused.returncode, "standard input is empty" in refused.stderr) == (2, True)


@pytest.mark.parametrize(
    "words", [(), ("--text", "ab"), ("--asset", "abcd", "--field", "efgh"), ("--text", WORD, "--dry-run")]
)
def test_what_proves_nothing_is_refused(propsync: CommandLine, words: tuple[str, ...]) -> None:
    assert propsync("erase", "--verify", *words).returncode == 2
