"""Ending an erasure ends no other one."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from kit.home import Home

from propsync.errors import UsageError
from propsync.runbooks import forget
from propsync.storage import LocalStorage
from propsync.suppression import DONE, FORGOTTEN, ID, TEXT, Erasure, Erasures


def test_the_id_of_a_field_erased_of_two_assets_ends_neither(tmp_path: Path) -> None:
    home = Home(tmp_path / "home", "http://127.0.0.1:9")
    erasures = Erasures(LocalStorage(home.path))
    marker = erasures.marker()
    first = Erasure("aaaa", "asset field", datetime.now(UTC), "asked", DONE, field=marker.mark(ID, "field-1"))
    for erasure_id, asset in (("aaaa", "asset-1"), ("bbbb", "asset-2"), ("cccc", "asset-2")):
        erasures.put(replace(first, erasure_id=erasure_id, record=marker.mark(ID, asset)))

    with pytest.raises(UsageError, match="3 erasures are of this id: aaaa, bbbb, cccc"):
        forget(home.settings(), "field-1")
    assert {one.state for one in erasures.all()} == {DONE}
    assert forget(home.settings(), "aaaa").state == FORGOTTEN
    forget(home.settings(), "field-1")  # both are of one asset
    assert {one.state for one in erasures.all()} == {FORGOTTEN}


def test_a_text_is_forgotten_as_it_was_given_to_be_erased(tmp_path: Path) -> None:
    """`erase --text` takes no blanks at its ends, and `--forget` found no such erasure."""
    home = Home(tmp_path / "home", "http://127.0.0.1:9")
    erasures = Erasures(LocalStorage(home.path))
    text = erasures.marker().mark(TEXT, "Jo from flat 7")
    erasures.put(Erasure("aaaa", "text", datetime.now(UTC), "asked", DONE, text=text))
    assert forget(home.settings(), " Jo from flat 7 ").state == FORGOTTEN
