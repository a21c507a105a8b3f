"""A home that hides parts shows none of them because its propsync.toml is gone."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest
from kit.unlisted import unlisted
from privacy.private import LINES, PrivateHome, found_in

from propsync.errors import HomeUnusable, SettingsError
from propsync.runbooks.doctor.privacy import examine_lines


@pytest.mark.parametrize("is_empty", [False, True], ids=["none", "one that a full disk left empty"])
def test_without_propsync_toml_no_run_shows_what_a_home_hides(tmp_path: Path, is_empty: bool) -> None:
    home = PrivateHome(tmp_path / "home", "http://127.0.0.1:9")
    (home.path / "state").mkdir(parents=True)
    (home.path / "state" / "hidden-0a1b2c3d.duckdb").touch()
    if is_empty:
        (home.path / "propsync.toml").touch()
    for run in (home.sync, home.rebuild):
        with pytest.raises(SettingsError, match="without it a run would show what this home hides"):
            run()
    (finding,) = examine_lines(home.settings())
    assert finding.next_step.startswith("Restore it, or name it with --config")
    assert list((home.path / "published").iterdir()) == list((home.path / "landing").iterdir()) == []
    home.hide()
    assert list(examine_lines(home.settings())) == []


@pytest.mark.slow
def test_nor_does_a_rebuild_that_lost_the_state_too(hidden_home: PrivateHome) -> None:
    for path in (hidden_home.path / "state").glob("*.duckdb"):
        path.unlink()
    (hidden_home.path / "propsync.toml").unlink()
    before = hidden_home.note()
    with pytest.raises(SettingsError, match="without it a run would show what this home hides"):
        hidden_home.rebuild()
    assert (hidden_home.note(), found_in(hidden_home.path / "published")) == (before, [])
    hidden_home.hide(*LINES)
    assert hidden_home.rebuild().exit_code == 0
    assert found_in(hidden_home.path / "published") == []


def test_a_folder_that_nobody_can_list_does_not_pass_for_a_home_that_hides_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = PrivateHome(tmp_path / "home", "http://127.0.0.1:9")
    (home.path / "state").mkdir(parents=True)
    unlisted(monkeypatch, home.path / "state", errno.EACCES)
    for run in (home.sync, home.rebuild):
        with pytest.raises(HomeUnusable, match=r"state: cannot be listed: Permission denied\. Give it to the user"):
            run()
    (finding,) = examine_lines(home.settings())
    assert (finding.is_well, finding.seen) == (False, f"{home.path}/state: cannot be listed: Permission denied")
    home.hide("assets.occupant")
    assert list(examine_lines(home.settings())) == [finding]
