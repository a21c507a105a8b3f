"""The files of erasures are lost or damaged: no run continues without them, as what was erased would come back."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from erasing.conftest import GONE
from erasing.test_bucket import _Death, _dying, lived
from erasing.traces import traces
from kit.bucket import flaws
from kit.server import Server
from kit.small_api import SmallApi, SmallHome, asset
from machines.conftest import Machines

from propsync.erasing.request import Request
from propsync.errors import ErasureUnfinished, HomeBehind, StateUnusable
from propsync.runbooks import erase, forget

pytestmark = pytest.mark.slow


@pytest.fixture
def home(tmp_path: Path) -> Iterator[SmallHome]:
    api = SmallApi()
    api.assets.append(asset(GONE, note="first note"))
    with Server(api) as server:
        made = SmallHome(tmp_path / "home", server.url, api)
        assert made.sync().exit_code == 0
        assert erase(made.settings(), Request(asset=GONE, reason="asked")).exit_code == 0
        yield made


def a_digit_changed(path: Path) -> None:
    body = path.read_bytes()
    path.write_bytes((b"0" if body[:1] != b"0" else b"1") + body[1:])


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:30])


def emptied(path: Path) -> None:
    path.write_bytes(b"")


def rotten(path: Path) -> None:
    path.write_bytes(b"\xe4\xff rotten")


@pytest.mark.costly
@pytest.mark.parametrize("harm", [a_digit_changed, cut, emptied, rotten, Path.unlink])
def test_no_run_goes_on_with_a_damaged_key(home: SmallHome, harm: Callable[[Path], None]) -> None:
    harm(home.path / "landing/erasures/key")
    for run in (home.sync, home.rebuild):
        with pytest.raises(StateUnusable, match="landing/erasures/key: it is missing or damaged"):
            run()
    assert traces(home.path, GONE, "first note") == []


def test_no_run_goes_on_with_a_damaged_mark(home: SmallHome) -> None:
    (file,) = (home.path / "landing/erasures").glob("*.json")
    mark = file.read_text().partition('"digest": "')[2][:8]
    file.write_text(file.read_text().replace(mark, mark[::-1]))
    for run in (home.sync, home.rebuild):
        with pytest.raises(StateUnusable, match="it has changed since propsync wrote it"):
            run()
    assert traces(home.path, GONE, "first note") == []


@pytest.mark.costly
@pytest.mark.parametrize("state", [True, False])
def test_no_run_goes_on_without_the_file_of_an_erasure_until_somebody_forgets_it(home: SmallHome, state: bool) -> None:
    shutil.rmtree(home.path / "landing/erasures")
    if not state:
        (home.path / "state/warehouse.duckdb").unlink()
    for run in (home.sync, home.rebuild) if state else (home.rebuild,):
        with pytest.raises(
            StateUnusable, match=r"landing/erasures: it lacks the file of erasure (\w+), .* --forget \1`"
        ):
            run()
    assert traces(home.path, GONE, "first note") == []

    (erasure_id,) = home.column("select erasure_id from ops.erasures")
    assert forget(home.settings(), erasure_id).reason == "asked"
    lost = home.column("select run_id from history.assets where change = 'erase'")  # the interval of what was erased
    assert state or home.rebuild(accept_loss=lost).exit_code == 3
    assert home.sync().exit_code == 0
    assert home.column("select is_forgotten from ops.erasures") == [True]
    assert home.column("select asset_id from assets where asset_id = ?", GONE) == [GONE]
    assert erase(home.settings(), Request(asset=GONE, reason="asked")).exit_code == 0
    assert traces(home.path, GONE, "first note") == []


def test_no_run_erases_again_with_a_file_from_before_the_end_of_an_erasure(home: SmallHome, tmp_path: Path) -> None:
    shutil.copytree(home.path / "landing/erasures", tmp_path / "backup")
    (erasure_id,) = home.column("select erasure_id from ops.erasures")
    forget(home.settings(), erasure_id)
    assert home.sync().exit_code == 0
    shutil.copytree(tmp_path / "backup", home.path / "landing/erasures", dirs_exist_ok=True)
    for run in (home.sync, home.rebuild):
        with pytest.raises(
            StateUnusable, match=rf"erasure {erasure_id} is from before .* --forget {erasure_id}`, then"
        ):
            run()
    forget(home.settings(), erasure_id)
    assert home.sync().exit_code == 0
    assert home.column("select asset_id from assets where asset_id = ?", GONE) == [GONE]


@pytest.mark.costly
@pytest.mark.parametrize("name", ["key", "*.json", "*"])
@pytest.mark.parametrize("harm", [rotten, Path.unlink])
def test_a_bucket_gives_back_what_home_lost(machines: Machines, harm: Callable[[Path], None], name: str) -> None:
    home = lived(machines)
    assert erase(home.settings(), Request(asset=GONE, reason="asked")).exit_code == 0
    for file in (home.path / "landing/erasures").glob(name):
        harm(file)
    assert home.sync().exit_code == 0
    assert traces(home.path, GONE, "first note") == []
    assert flaws(machines.bucket, home.path) == []


@pytest.mark.release
def test_a_killed_erasure_on_a_machine_that_fell_behind_locks_nobody_out(
    machines: Machines, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, other = lived(machines), machines("two")
    _dying(machines.bucket, monkeypatch, 0)
    with pytest.raises(_Death):
        erase(home.settings(), Request(asset=GONE, reason="asked"))
    _dying(machines.bucket, monkeypatch, None)
    with pytest.raises(ErasureUnfinished):
        home.sync()
    assert other.rebuild().exit_code == 0
    assert other.sync().exit_code == 0

    with pytest.raises(HomeBehind):
        erase(home.settings(), Request(asset=GONE, reason="asked"))
    assert home.rebuild().exit_code == 0
    assert erase(home.settings(), Request(asset=GONE, reason="asked")).exit_code == 0
    assert traces(home.path, GONE, "first note") == []
    assert traces(machines.bucket.root, GONE, "first note") == []
