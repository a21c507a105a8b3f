"""Nothing published has the fields and members of `[privacy] hide`. They come back when the line goes."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from kit.dialects import Dialect
from kit.small_api import SmallHome
from kit.world_server import WorldServer
from privacy.private import (
    LINES,
    NIGHTS,
    WORD,
    PrivateHome,
    difference_of_data,
    found_in,
    private_world,
    quiet_night,
    served,
)

from propsync.errors import SettingsError, StateUnusable

pytestmark = (
    pytest.mark.slow
)  # its homes hide from the start and later; unit/test_shears.py shows every day what is cut


def test_nothing_hidden_from_the_start_is_in_any_published_byte(
    hidden_home: PrivateHome, open_home: PrivateHome
) -> None:
    assert found_in(open_home.path / "published") != []
    assert found_in(hidden_home.path / "published") == []


def test_a_line_hides_all_of_history_and_taking_it_away_brings_all_back(open_home: PrivateHome, tmp_path: Path) -> None:
    never = open_home.copied(tmp_path / "never")
    open_home.hide(*LINES)
    assert quiet_night(open_home, 3).exit_code == 0
    assert found_in(open_home.path / "published") == []
    assert WORD not in open_home.state.read_bytes()
    versions = "select asset_id, valid_from, valid_to, change from history.assets order by all"
    assert open_home.rows(versions) == never.rows(versions)
    open_home.hide()
    assert quiet_night(open_home, 4).exit_code == 0
    assert list((open_home.path / "state").glob("hidden-*")) == []
    for night in (3, 4):
        quiet_night(never, night)
    assert difference_of_data(never.published, open_home.published) == {}


def test_a_home_with_an_apostrophe_in_its_path_hides_too(open_home: PrivateHome, tmp_path: Path) -> None:
    home = open_home.copied(tmp_path / "o'clock")
    home.hide(*LINES)
    assert quiet_night(home, 3).exit_code == 0
    assert WORD not in home.published.read_bytes()


@pytest.mark.release
def test_hiding_later_equals_hiding_from_the_start(open_home: PrivateHome, hidden_home: PrivateHome) -> None:
    open_home.hide(*LINES)
    quiet_night(open_home, 3)
    quiet_night(hidden_home, 3)
    assert difference_of_data(hidden_home.published, open_home.published) == {}


def test_what_was_hidden_from_the_start_comes_back(hidden_home: PrivateHome, open_home: PrivateHome) -> None:
    hidden_home.hide()
    for home in (hidden_home, open_home):
        quiet_night(home, 3)
    assert difference_of_data(open_home.published, hidden_home.published) == {}


@pytest.mark.release
def test_a_rebuild_hides_the_same(hidden_home: PrivateHome) -> None:
    before = hidden_home.copy_of_published()
    assert hidden_home.rebuild().status == "ok"
    assert difference_of_data(before, hidden_home.published) == {}
    assert found_in(hidden_home.path / "published") == []
    # without the state and its second file, landing is enough
    for path in (hidden_home.path / "state").glob("*.duckdb"):
        path.unlink()
    assert hidden_home.rebuild().status == "ok"
    assert difference_of_data(before, hidden_home.published) == {}
    assert found_in(hidden_home.path / "published") == []


@pytest.mark.release
def test_pruned_history_comes_back_from_the_base_too(hidden_home: PrivateHome, open_home: PrivateHome) -> None:
    for home in (hidden_home, open_home):
        quiet_night(home, 6, landing_keep_days=1)
        assert list((home.path / "landing" / "base").iterdir()) != []
    for path in (hidden_home.path / "state").glob("*.duckdb"):
        path.unlink()
    assert hidden_home.rebuild().status == "ok"
    assert found_in(hidden_home.path / "published") == []
    hidden_home.hide()
    assert hidden_home.rebuild().status == "ok"
    assert difference_of_data(open_home.published, hidden_home.published) == {}


def test_whole_records_of_an_older_backup_do_not_pass_for_those_of_the_state(
    hidden_home: PrivateHome, tmp_path: Path
) -> None:
    [second_file] = (hidden_home.path / "state").glob("hidden-*.duckdb")
    older = shutil.copy(second_file, tmp_path / "older")
    world = private_world()
    for change in NIGHTS:
        change(world)
    world.assets[0].extra["occupant"] = {"name": "zqx newcomer"}
    with WorldServer(Dialect(world)) as server:
        assert hidden_home.on_night(3, **served(server)).exit_code == 0
        before = hidden_home.copy_of_published()
        shutil.copy(older, second_file)
        with pytest.raises(StateUnusable, match="older than the state database"):
            hidden_home.on_night(4, **served(server))
    assert hidden_home.rebuild().exit_code == 0
    assert difference_of_data(before, hidden_home.published) == {}
    hidden_home.hide()
    with WorldServer(Dialect(world)) as server:
        hidden_home.on_night(5, **served(server))
    newcomers = "select count(*) from history.assets where payload::varchar like '%zqx newcomer%'"
    assert hidden_home.rows(newcomers) == [(1,)]


def test_a_quiet_night_stays_quiet(hidden_home: PrivateHome) -> None:
    report = quiet_night(hidden_home, 3)
    assert {counts["inserted"] + counts["updated"] for counts in report.resources.values()} == {0}


@pytest.mark.release
def test_a_kill_while_history_is_cut_shows_nothing_and_the_next_run_finishes(
    open_home: PrivateHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_home.hide(*LINES)
    with monkeypatch.context() as patched:
        patched.setattr("propsync.runbooks.hiding.install", _killed)
        with pytest.raises(KeyboardInterrupt):
            quiet_night(open_home, 3)
    assert open_home.rows("select count(*) from assets") != [(0,)]
    assert quiet_night(open_home, 4).exit_code == 0
    assert found_in(open_home.path / "published") == []
    assert len(list((open_home.path / "state").glob("hidden-*.duckdb"))) == 1


def _killed(*_: object) -> None:
    raise KeyboardInterrupt


@pytest.mark.release
def test_a_new_label_hides_a_field_that_was_shown(open_home: PrivateHome) -> None:
    open_home.hide("assets.fields[Secret remarks]", *LINES)
    quiet_night(open_home, 3)
    assert open_home.rows("select count(*) from asset_field_values where label = 'Remarks'") != [(0,)]
    world = private_world()
    for change in NIGHTS:
        change(world)
    next(one for one in world.asset_types[0].fields if one.id == "f-later").label = "Secret remarks"
    with WorldServer(Dialect(world)) as server:
        assert open_home.on_night(4, **served(server)).exit_code == 0
    assert open_home.rows("select count(*) from history.assets where payload::varchar like '%remark %'") == [(0,)]
    assert open_home.rows("select count(*) from asset_type_fields where field_id = 'f-later'") == [(0,)]
    assert b"Secret remarks" not in open_home.published.read_bytes()
    before = open_home.copy_of_published()
    assert open_home.rebuild().status == "ok"
    assert difference_of_data(before, open_home.published) == {}


def test_a_line_that_matches_nothing_is_told_with_the_nearest_name(
    hidden_home: PrivateHome, caplog: pytest.LogCaptureFixture
) -> None:
    hidden_home.hide("assets.fields[Remark]", "assets.scores", *LINES)
    quiet_night(hidden_home, 3)
    assert 'hide has "assets.fields[Remark]", which matches nothing; the nearest is Remarks' in caplog.text
    assert 'hide has "assets.scores", which matches nothing; the nearest is score' in caplog.text
    assert caplog.text.count("matches nothing") == 2


def test_a_hidden_member_that_the_api_renames_is_named_each_night(
    small_nights: SmallHome, caplog: pytest.LogCaptureFixture
) -> None:
    """The records showed it under its new name, and no line said so."""
    small_nights.path.mkdir(exist_ok=True)
    toml = small_nights.path / "propsync.toml"
    toml.write_text('[privacy]\nhide = ["assessments.occupant", "assessments.scores.by"]\n', encoding="utf-8")
    people = [one | {"occupant": "Jane", "scores": [{"by": "Joe"}]} for one in small_nights.server.assessments]
    small_nights.server.assessments = people
    assert small_nights.sync().exit_code == 0
    assert "matches nothing" not in caplog.text
    renamed = [{"Occupant" if name == "occupant" else name: one[name] for name in one} for one in people]
    small_nights.server.assessments = renamed
    for _ in range(2):
        caplog.clear()
        assert small_nights.sync().exit_code == 0
        told = 'hide has "assessments.occupant", which matches nothing any more: its member may have another name now'
        assert told in caplog.text
        assert "the nearest is Occupant" in caplog.text
        assert caplog.text.count("matches nothing") == 1
    toml.write_text(toml.read_text().replace('["', '["assessments.Occupant", "'), encoding="utf-8")
    assert small_nights.sync().exit_code == 0
    assert b"Jane" not in small_nights.published.read_bytes()


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("type: ", "the name of a type"),
        ("assets.fields", "name the fields"),
        ("Resident notes", "assets.fields[Resident notes]"),
        ("asets.occupant", "Did you mean assets?"),
        ("assets.id", "propsync needs this member"),
        ("assessments.status", "propsync needs this member"),
        ("asset_types.fields.label", "assets.fields[LABEL]"),
        ("asset_types.name", "type:NAME"),
    ],
)
def test_a_line_that_cannot_be_hidden_is_refused(hidden_home: PrivateHome, line: str, words: str) -> None:
    hidden_home.hide(line)
    with pytest.raises(SettingsError) as refused:
        quiet_night(hidden_home, 3)
    assert words in str(refused.value)
    assert refused.value.exit_code == 2


def test_a_home_that_hides_nothing_has_no_second_file(open_home: PrivateHome) -> None:
    assert list((open_home.path / "state").glob("hidden-*")) == []
    assert open_home.rows("select count(*) from ops.settings where setting = 'hidden'") == [(0,)]
