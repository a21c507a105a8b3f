"""Nothing published tells of a hidden type, and everything that decides about completeness still knows its records."""

from __future__ import annotations

from pathlib import Path

import pytest
from privacy.private import WORD, PrivateHome, difference_of_data, found_in
from privacy.typed import TYPE_LINES, live_typed, quiet_typed, world_after

from propsync.merge.hiding import Apart

pytestmark = pytest.mark.slow
KEYS = "select asset_id, valid_from, valid_to, change, run_id from history.assets order by all"


def test_nothing_of_a_hidden_type_is_in_any_published_byte(hidden_typed: PrivateHome, open_typed: PrivateHome) -> None:
    assert found_in(open_typed.path / "published") != []
    assert found_in(hidden_typed.path / "published") == []
    assert WORD not in hidden_typed.state.read_bytes()


@pytest.mark.release
def test_hiding_a_type_later_equals_hiding_it_from_the_start(
    open_typed: PrivateHome, hidden_typed: PrivateHome
) -> None:
    open_typed.hide(*TYPE_LINES)
    for home in (open_typed, hidden_typed):
        assert quiet_typed(home, 3).exit_code == 0
    assert found_in(open_typed.path / "published") == []
    assert WORD not in open_typed.state.read_bytes()
    assert difference_of_data(hidden_typed.published, open_typed.published) == {}
    assert hidden_typed.rows(KEYS) == open_typed.rows(KEYS)


@pytest.mark.release
@pytest.mark.costly
@pytest.mark.parametrize("is_from_the_start", [True, False])
def test_a_type_comes_back_with_all_its_history(
    open_typed: PrivateHome, hidden_typed: PrivateHome, tmp_path: Path, is_from_the_start: bool
) -> None:
    never = open_typed.copied(tmp_path / "never")
    home = hidden_typed if is_from_the_start else open_typed
    home.hide(*TYPE_LINES)
    quiet_typed(home, 3)
    home.hide()
    quiet_typed(home, 4)
    for night in (3, 4):
        quiet_typed(never, night)
    assert difference_of_data(never.published, home.published) == {}
    assert home.rows(KEYS) == never.rows(KEYS)


def test_to_people_a_record_that_crosses_is_new_or_deleted(hidden_typed: PrivateHome) -> None:
    changes = hidden_typed.rows(
        "select list(change order by valid_from) from history.assets group by asset_id having count(*) > 1 order by all"
    )
    # into the hidden type for good; there and back; out of it, then deleted
    assert changes == [(["insert", "delete"],), (["insert", "delete"],), (["insert", "delete", "insert"],)]


@pytest.mark.release
def test_a_quiet_night_stays_quiet_and_looks_nothing_up(hidden_typed: PrivateHome) -> None:
    report = quiet_typed(hidden_typed, 3)
    assert {counts["inserted"] + counts["updated"] + counts["deleted"] for counts in report.resources.values()} == {0}
    asked = "select requests from ops.run_resources where run_id = ? and resource = 'assets'"
    [(requests,)] = hidden_typed.rows(asked, report.run_id)
    assert requests <= 5


@pytest.mark.release
def test_a_rebuild_hides_the_same_types(hidden_typed: PrivateHome) -> None:
    before = hidden_typed.copy_of_published()
    assert hidden_typed.rebuild().status == "ok"
    assert difference_of_data(before, hidden_typed.published) == {}
    for path in (hidden_typed.path / "state").glob("*.duckdb"):
        path.unlink()
    assert hidden_typed.rebuild().status == "ok"
    assert difference_of_data(before, hidden_typed.published) == {}
    assert found_in(hidden_typed.path / "published") == []


@pytest.mark.release
@pytest.mark.parametrize("hides_before", [True, False])
def test_a_rebuild_follows_a_setting_that_no_run_has_seen(
    hidden_typed: PrivateHome, open_typed: PrivateHome, hides_before: bool
) -> None:
    home, other = (hidden_typed, open_typed) if hides_before else (open_typed, hidden_typed)
    home.hide(*(() if hides_before else TYPE_LINES))
    assert home.rebuild().status == "ok"
    assert difference_of_data(other.published, home.published) == {}
    assert (found_in(home.path / "published") == []) is not hides_before


@pytest.mark.release
def test_pruned_history_keeps_hidden_types_apart(hidden_typed: PrivateHome, open_typed: PrivateHome) -> None:
    for home in (hidden_typed, open_typed):
        quiet_typed(home, 6, landing_keep_days=1)
    before = hidden_typed.copy_of_published()
    for path in (hidden_typed.path / "state").glob("*.duckdb"):
        path.unlink()
    assert hidden_typed.rebuild().status == "ok"
    assert difference_of_data(before, hidden_typed.published) == {}
    hidden_typed.hide()
    assert hidden_typed.rebuild().status == "ok"
    assert difference_of_data(open_typed.published, hidden_typed.published) == {}


@pytest.mark.release
def test_deletes_are_held_and_accepted_with_records_of_hidden_types(
    hidden_typed: PrivateHome, open_typed: PrivateHome
) -> None:
    world = world_after(3)
    world.assets.clear()
    for home in (hidden_typed, open_typed):
        held = quiet_typed(home, 3, world)
        assert held.exit_code == 3
    counts = [one.rows("select sum(held) from ops.run_resources") for one in (hidden_typed, open_typed)]
    assert counts[0] == counts[1]
    named = [one.rows("select count(*) from ops.held_deletes")[0][0] for one in (hidden_typed, open_typed)]
    assert 0 < named[0] < named[1]
    assert found_in(hidden_typed.path / "published") == []
    for home in (hidden_typed, open_typed):
        [(run,)] = home.rows("select max(run_id) from ops.held_deletes")
        assert quiet_typed(home, 4, world, accept=run).exit_code == 0
    hidden_typed.hide()
    for home in (hidden_typed, open_typed):
        quiet_typed(home, 5, world)
    assert difference_of_data(open_typed.published, hidden_typed.published) == {}


@pytest.mark.release
def test_a_kill_between_the_two_commits_loses_and_doubles_nothing(
    hidden_typed: PrivateHome, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = PrivateHome(tmp_path / "killed")
    home.hide(*TYPE_LINES)
    live_typed(home, 1)
    with monkeypatch.context() as patched:
        patched.setattr(Apart, "settle", _killed)
        with pytest.raises(KeyboardInterrupt):
            quiet_typed(home, 1, world_after(2))
    assert quiet_typed(home, 2, world_after(3)).exit_code == 0
    home.hide()
    hidden_typed.hide()
    for one in (home, hidden_typed):
        quiet_typed(one, 3)
    versions = "select asset_id, change, payload from history.assets order by asset_id, valid_from"
    assert home.rows(versions) == hidden_typed.rows(versions)


def _killed(*_: object) -> None:
    raise KeyboardInterrupt


@pytest.mark.release
def test_a_new_name_hides_a_type_that_was_shown(open_typed: PrivateHome) -> None:
    open_typed.hide("type:zqx tower", *TYPE_LINES)
    quiet_typed(open_typed, 3)
    world = world_after(3)
    lifts = world.asset_types[2]
    lifts.name = "zqx tower"
    assert quiet_typed(open_typed, 4, world).exit_code == 0
    assert open_typed.rows(f"select count(*) from history.assets where payload::varchar like '%{lifts.id}%'") == [(0,)]
    assert found_in(open_typed.path / "published") == []


@pytest.mark.release
def test_a_type_that_nothing_has_is_told_with_the_nearest_name(
    hidden_typed: PrivateHome, caplog: pytest.LogCaptureFixture
) -> None:
    hidden_typed.hide("type:Lifs", *TYPE_LINES)
    quiet_typed(hidden_typed, 3)
    assert 'hide has "type:Lifs", which matches nothing; the nearest is Lifts' in caplog.text
