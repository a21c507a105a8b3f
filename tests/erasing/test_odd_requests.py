"""Requests for odd things: what propsync itself works by stays, and what is made of an erased text goes too."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from erasing.traces import traces
from kit.comparing import difference
from kit.server import Server
from kit.small_api import DOOR, SmallApi, SmallHome, assessment, asset

from propsync.cli.status.command import print_status
from propsync.erasing.request import Request
from propsync.errors import UsageError
from propsync.runbooks import erase, find, forget
from propsync.storage import LocalStorage
from propsync.suppression import BEGUN, DONE, Erasures

pytestmark = pytest.mark.slow
NOTES = {"id": "f-notes", "type": "text", "label": "Jane Doe notes"}
OTHER = {"id": "f-notes-2", "type": "text", "label": "More"}


@pytest.fixture
def home(tmp_path: Path) -> Iterator[SmallHome]:
    """A home in which one asset has a name in three versions, and ids that begin alike."""
    api = SmallApi()
    api.types = [DOOR | {"name": "Jane Doe doors", "fields": [*DOOR["fields"], NOTES, OTHER]}]
    both = [
        {"type": "text", "field": "f-notes", "value": "secret"},
        {"type": "text", "field": "f-notes-2", "value": "open"},
    ]
    api.assets += [asset("room-101"), asset("room-101-b", fields=both), asset("twin-id")]
    api.assessments.append(assessment("twin-id"))
    with Server(api) as server:
        home = SmallHome(tmp_path / "home", server.url, api)
        for number, note in enumerate(("Jane Doe", "JANE  Doe", "jane doe")):
            api.assets[6] = asset("room-101", note=note, **({"Jane Doe": 1, "seen": 1} if number == 2 else {}))
            assert home.sync().exit_code == 0
        yield home


def assert_lasting(home: SmallHome, *words: str) -> None:
    """Neither two nights nor a rebuild changes anything, or brings it back."""
    published = home.copy_of_published()
    assert [home.sync().exit_code for _ in range(2)] == [0, 0]
    assert difference(published, home.published) == {}
    assert home.rebuild().exit_code == 0
    assert difference(published, home.published) == {}
    assert traces(home.path, *words) == []


def test_what_propsync_works_by_is_refused_before_anything_changes(home: SmallHome) -> None:
    for request, why in (
        (Request(text="room-1", reason="asked"), "assets have it in asset_id"),
        (Request(text="Approved", reason="asked"), "assessments have it in status"),
        (Request(text="prop", reason="asked"), "name of a member"),
        (Request(text="text", reason="asked"), "kind of field"),
        (Request(text="null", reason="asked"), "name of a member"),
        (Request(asset="twin-id", reason="asked"), "assessments have it as assessment_id"),
        (Request(asset="p1", reason="asked"), "assets have it as property_id"),
        (Request(assessment="room-101", reason="asked"), "assets have it as asset_id"),
        (Request(field="room-101", reason="asked"), "assets have it as asset_id"),
        (Request(asset="f-notes", reason="asked"), "asset types have it as field_id"),
    ):
        with pytest.raises(UsageError, match=why):
            erase(home.settings(), request)
        with pytest.raises(UsageError, match=why):
            find(home.settings(), request)
    assert not list((home.path / "landing" / "erasures").glob("*.json"))


@pytest.mark.parametrize(
    ("request_", "why"),
    [
        (Request(asset="room-10", reason="asked"), "nothing in this home has it"),  # the beginning of room-101
        (Request(asset="seen", reason="asked"), "no asset has this id, and the tables have it elsewhere"),  # a member
        (Request(field="seen", reason="asked"), "no field has this id"),
        (Request(assessment="seen", reason="asked"), "no assessment has this id"),
        (Request(field="seen", asset="room-101", reason="asked"), "no field has this id"),
        (Request(field="f-notes", asset="seen", reason="asked"), "nothing in this home has it"),
        (Request(field="f-notes", asset="room-10", reason="asked"), "nothing in this home has it"),
        (Request(field="f-notes", asset="twin-id", reason="asked"), "nothing in this home has it"),  # no such value
    ],
)
def test_an_id_of_no_record_erases_nothing(home: SmallHome, request_: Request, why: str) -> None:
    """A mistyped id must not end in "Erased", and must change nothing that has the same letters."""
    published = home.copy_of_published()
    with pytest.raises(UsageError, match=why) as caught:
        erase(home.settings(), request_)
    assert caught.value.exit_code == 2
    assert not list((home.path / "landing" / "erasures").glob("*.json"))
    assert difference(published, home.published) == {}


@pytest.mark.release
def test_a_text_goes_from_names_too_and_a_later_erasure_cleans_earlier_ones(home: SmallHome) -> None:
    words = ("jane doe", "jane_doe")
    assert erase(home.settings(), Request(text="Jane Doe", reason="Mary Poppins asked about room-101")).exit_code == 0
    assert traces(home.path, *words) == []
    assert home.column("select column_name from asset_type_fields order by field_id") == [
        "erased_notes",
        "more",
        "name",
    ]
    versions = home.rows(
        "select valid_from, valid_to, run_id from history.assets where asset_id = 'room-101' order by 1"
    )
    assert len(versions) == 3

    assert erase(home.settings(), Request(asset="room-101", reason="asked")).exit_code == 0
    assert erase(home.settings(), Request(text="Mary Poppins", reason="asked")).exit_code == 0
    assert traces(home.path, '"room-101"', "room-101,", "'room-101'", "mary poppins") == []
    assert (
        home.rows("select valid_from, valid_to, run_id from history.assets where change = 'erase' order by 1")
        == versions
    )
    assert home.column("select asset_id from assets where asset_id like 'room%'") == ["room-101-b"]
    assert_lasting(home, *words, "mary poppins")


def test_a_later_erasure_keeps_versions_that_an_earlier_one_made_equal(home: SmallHome) -> None:
    of_equal = "select valid_from, valid_to, change from history.assets where asset_id = 'room-101' order by 1"
    versions = home.rows(of_equal)
    for request in (Request(text="Jane Doe", reason="asked"), Request(asset="room-101-b", reason="asked")):
        assert erase(home.settings(), request).exit_code == 0
        assert home.rows(of_equal) == versions
    assert_lasting(home, "jane doe", '"room-101-b"')


@pytest.mark.release
def test_a_field_that_begins_another_leaves_it_alone(home: SmallHome) -> None:
    assert erase(home.settings(), Request(field="f-notes", reason="asked")).exit_code == 0
    assert home.rows("select field_id, value_text from asset_field_values where asset_id = 'room-101-b'") == [
        ("f-notes-2", "open")
    ]
    assert_lasting(home, "secret")


def test_a_short_id_is_found_in_every_table(home: SmallHome) -> None:
    assert erase(home.settings(), Request(field="f1", reason="asked")).exit_code == 0
    assert home.column("select count(*) from ops.columns where source = 'f1'") == [0]


def test_an_id_that_begins_another_counts_no_row_of_that_one(home: SmallHome) -> None:
    found = find(home.settings(), Request(asset="room-101")).found
    assert (found["main.assets"], found["history.assets"]) == (1, 3)


def test_a_field_of_one_asset_counts_no_row_of_other_assets(home: SmallHome) -> None:
    found = find(home.settings(), Request(field="f1", asset="room-101")).found
    assert (found["main.asset_field_values"], found["main.assets"], found["history.assets"]) == (1, 1, 3)
    assert "main.asset_type_fields" not in found


def status(home: SmallHome, capsys: pytest.CaptureFixture[str]) -> str:
    print_status(home.settings(), None, as_json=False)
    return capsys.readouterr().out


@pytest.mark.release
def test_a_record_may_be_erased_come_back_and_be_erased_again(
    home: SmallHome, capsys: pytest.CaptureFixture[str]
) -> None:
    is_it = "asset_id = 'room-101' or change = 'erase'"
    rows = f"select valid_from, valid_to, change from history.assets where {is_it} order by 1"
    request = Request(asset="room-101", reason="asked")
    assert "erasures" not in status(home, capsys)
    for _ in range(2):
        assert erase(home.settings(), request).exit_code == 0
        assert forget(home.settings(), "room-101").state == "forgotten"
        assert home.sync().exit_code == 0
        assert home.rows(rows)[-1][1:] == (None, "insert")
    assert erase(home.settings(), request).exit_code == 0
    assert "erasures                 3 (ops.erasures); the last on " in (shown := status(home, capsys))
    assert "; 2 forgotten\n" in shown
    erasures = Erasures(LocalStorage(home.path))
    last = erasures.all()[-1]
    erasures.change(last, state=BEGUN)
    assert "2 forgotten; one was interrupted and is not finished\n" in (shown := status(home, capsys))
    assert "Next: propsync erase --resume" in shown
    erasures.change(last, state=DONE)
    history = home.rows(rows)
    assert [valid_to for _, valid_to, _ in history] == [*(valid_from for valid_from, *_ in history[1:]), None]
    assert_lasting(home, '"room-101"', "room-101,")
