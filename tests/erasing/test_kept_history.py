"""Erasures where history is kept in a base, where parts are hidden, and where a kill interrupts them."""

from __future__ import annotations

import shutil
from datetime import timedelta
from pathlib import Path

import pytest
from erasing.test_erase import ASSET, VERSIONS, assert_rebuilds, night
from erasing.traces import traces
from kit.comparing import difference
from kit.deaths import dying
from kit.home import Home
from privacy.private import FIRST, LINES, PrivateHome, live
from variants import some

from propsync.erasing.request import Request
from propsync.errors import ErasureUnfinished
from propsync.landing import Bases
from propsync.runbooks import erase
from propsync.runbooks.retention import prune
from propsync.runbooks.workplace import workplace
from propsync.runbooks.workspace import WAREHOUSE, Workspace
from propsync.runs import next_run
from propsync.storage import LocalStorage

pytestmark = pytest.mark.slow
REQUESTS = {
    "asset": (Request(asset=ASSET, reason="asked"), (ASSET,)),
    "field": (Request(field="f-notes", reason="asked"), ("f-notes", "zqx note", "zqx changed")),
    "text": (Request(text="zqx occupant", reason="asked"), ("zqx occupant",)),
}


def pruned(home: Home) -> None:
    """The first two nights become a base."""
    settings = home.settings(landing_keep_days=1)
    with workplace(settings, "a test") as place, Workspace.offline(settings, place, settings.state / WAREHOUSE) as site:
        from propsync.runbooks import retention

        retention._AT_ONCE, before = 1, retention._AT_ONCE
        try:
            prune(site, next_run("nightly", None, FIRST + timedelta(days=2, hours=12)))
        finally:
            retention._AT_ONCE = before
    assert Bases(LocalStorage(home.path)).newest() is not None


@pytest.mark.release
@pytest.mark.costly
@pytest.mark.parametrize("kind", REQUESTS)
def test_a_base_loses_it_too(home: PrivateHome, kind: str) -> None:
    request, words = REQUESTS[kind]
    pruned(home)
    before = home.rows("select valid_from, valid_to, run_id from history.assets order by all")
    assert erase(home.settings(), request).exit_code == 0
    assert traces(home.path, *words) == []
    assert home.rows("select valid_from, valid_to, run_id from history.assets order by all") == before
    night(home, 3)
    assert traces(home.path, *words) == []
    assert_rebuilds(home)


@pytest.mark.release
@pytest.mark.costly
@pytest.mark.parametrize("kind", REQUESTS)
def test_what_is_hidden_is_erased_too(shared_hidden: Path, tmp_path: Path, kind: str) -> None:
    request, words = REQUESTS[kind]
    home = PrivateHome(shared_hidden).copied(tmp_path / "hidden")
    versions = home.rows("select valid_from, valid_to, run_id from history.assets order by all")
    assert traces(home.path / "state", *words)
    assert erase(home.settings(), request).exit_code == 0
    assert traces(home.path, *words) == []
    assert home.rows("select valid_from, valid_to, run_id from history.assets order by all") == versions
    night(home, 3)
    assert traces(home.path, *words) == []
    assert home.rows("select valid_from, valid_to, run_id from history.assets order by all") == versions
    assert_rebuilds(home)


@pytest.mark.release
def test_a_rebuild_on_an_old_state_leaves_no_hidden_copy(shared_hidden: Path, tmp_path: Path) -> None:
    request, words = REQUESTS["field"]
    home = PrivateHome(shared_hidden).copied(tmp_path / "hidden")
    state, old = home.path / "state", tmp_path / "old-state"
    shutil.copytree(state, old)
    assert erase(home.settings(), request).exit_code == 0
    shutil.rmtree(state)
    shutil.copytree(old, state)
    assert home.rebuild().exit_code == 0
    assert traces(home.path, *words) == []
    assert len([*state.glob("hidden-*.duckdb")]) == 1


@pytest.fixture(scope="session")
def shared_hidden(shared) -> Path:  # type: ignore[no-untyped-def]
    def make(folder: Path) -> None:
        home = PrivateHome(folder / "home")
        home.hide(*LINES)
        live(home)

    return shared.folder("hidden nights to erase", make) / "home"


@pytest.mark.release
@pytest.mark.costly
@pytest.mark.parametrize("part", some(range(20), 3))
def test_a_killed_erasure_is_finished_by_the_same_command(home: PrivateHome, tmp_path: Path, part: int) -> None:
    request, words = REQUESTS["asset"]
    whole = home.copied(tmp_path / "whole")
    with dying(None) as moments:
        erase(whole.settings(), request)
    at = len(moments.names) * part // 20
    published = home.copy_of_published()
    with dying(at):
        erase(home.settings(), request)
    is_old = difference(published, home.published) == {}
    assert is_old or traces(home.path / "published" / "warehouse.duckdb", *words) == []
    if (home.path / "landing" / "erasures").exists() and any((home.path / "landing" / "erasures").glob("*.json")):
        with pytest.raises(ErasureUnfinished):
            night(home, 3)
    assert erase(home.settings(), request).exit_code == 0
    assert traces(home.path, *words) == []
    assert home.rows(VERSIONS.replace("asset_id,", "")) == whole.rows(VERSIONS.replace("asset_id,", ""))
    night(home, 3)
    assert_rebuilds(home)
    shutil.rmtree(whole.path)
