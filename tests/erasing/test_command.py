"""`propsync erase` refuses options that say two things, or name nothing, before anything changes."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from kit.command_line import CommandLine

from propsync.storage import LocalStorage
from propsync.suppression import DONE, ID, Erasure, Erasures

EMPTY, TWO = "the id is empty", "one thing at a time"


@pytest.fixture
def erasures(tmp_path: Path) -> Erasures:
    """Those of a home with one, of an asset."""
    erasures = Erasures(LocalStorage(tmp_path / "home"))
    mark = erasures.marker().mark(ID, "asset-1")
    erasures.put(Erasure("0123456789ab", "asset", datetime(2026, 5, 4, tzinfo=UTC), "asked", state=DONE, record=mark))
    return erasures


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--asset", "", "--field", "field-1"), EMPTY),  # else it would be the field of all assets
        (("--asset", "asset-1", "--field", ""), EMPTY),
        (("--assessment", " "), EMPTY),
        (("--text", ""), "fewer than 4 characters"),
        (("--text", "[Erased]"), "in place of erased texts"),
        (("--text", "erased"), "in place of erased texts"),
        (("--asset", "asset-1", "--assessment", ""), TWO),
        (("--asset", "asset-1", "--forget", "0123456789ab"), TWO),
        (("--forget", "0123456789ab", "--resume"), TWO),
        (("--forget", ""), "no such erasure"),
        (("--forget", "0123456789ab", "--dry-run"), "changes nothing"),
        (("--resume", "--dry-run"), "changes nothing"),
    ],
)
def test_a_request_that_is_not_clear_is_refused(
    tmp_path: Path, erasures: Erasures, words: tuple[str, ...], why: str
) -> None:
    propsync = CommandLine(tmp_path, {"PROPSYNC_HOME": str(tmp_path / "home")})
    reason = () if "--forget" in words else ("--reason", "asked")
    done = propsync("erase", *words, *reason)
    assert (done.returncode, why in done.stderr) == (2, True), done.stderr
    assert [one.state for one in erasures.all()] == [DONE]
