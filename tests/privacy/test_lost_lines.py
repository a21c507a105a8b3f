"""A home that hides parts shows none of them because its propsync.toml is gone."""

from __future__ import annotations

from pathlib import Path

import pytest
from privacy.private import PrivateHome

from propsync.errors import SettingsError
from propsync.runbooks.doctor_privacy import examine_lines


def test_without_propsync_toml_no_run_shows_what_a_home_hides(tmp_path: Path) -> None:
    home = PrivateHome(tmp_path / "home", "http://127.0.0.1:9")
    (home.path / "state").mkdir(parents=True)
    (home.path / "state" / "hidden-0a1b2c3d.duckdb").touch()
    for run in (home.sync, home.rebuild):
        with pytest.raises(SettingsError, match="without it a run would show what this home hides"):
            run()
    (finding,) = examine_lines(home.settings())
    assert finding.next_step.startswith("Restore it, or name it with --config")
    assert [path.name for path in home.path.iterdir()] == ["state"]
    home.hide()
    assert list(examine_lines(home.settings())) == []
