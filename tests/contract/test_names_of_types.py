"""Names and ids of types: propsync reports names that it cannot read, and reads them when it can."""

from __future__ import annotations

from typing import Any

import pytest
from kit.small_api import DOOR, LIFT, SmallHome, asset

from propsync.runbooks.doctor.examine import examine

UNUSUAL = {"id": "k1", "Bezeichnung": "Brandschutz"}


def names_after(home: SmallHome, held: dict[str, Any], code: int = 0) -> list[Any]:
    home.server.assessment_types = [held]
    assert home.sync().exit_code == code
    return home.column("select name from assessment_types order by name")


def test_names_that_propsync_cannot_read_are_reported(small_nights: SmallHome):
    small_nights.server.assessment_types = [UNUSUAL]
    (told,) = small_nights.sync().left_behind
    assert told == (
        "assessment types: name could not be read: no member of 1 records is known for a name; it may be Bezeichnung. "
        "Run `propsync doctor`"
    )
    assert small_nights.column("select name from assessment_types") == [None]
    (finding,) = [one for one in examine(small_nights.settings()) if not one.is_well]
    assert "[shapes.assessment_types] name = '…'" in finding.next_step


def test_a_name_in_several_languages_is_the_english_one_or_the_first(small_nights: SmallHome):
    """Each run ended with exit code 3, although labels of fields in several languages were read."""
    assert names_after(small_nights, {"id": "k1", "name": {"cy": "Risg tân", "en-GB": "Fire risk"}}) == ["Fire risk"]
    small_nights.server.assessment_types = [
        {"id": "k1", "description": {"cy": "x"}, "name": {"nl": "Brand", "cy": "Risg tân"}}
    ]
    small_nights.sync()
    assert small_nights.column("select name from assessment_types") == ["Risg tân"]


@pytest.mark.slow
def test_a_name_that_moves_out_of_sight_is_reported_and_comes_back(small_nights: SmallHome):
    usual = {"id": "k1", "name": "Fire risk"}
    assert names_after(small_nights, usual) == ["Fire risk"]
    assert names_after(small_nights, UNUSUAL, 3) == [None]
    small_nights.path.joinpath("propsync.toml").write_text("[shapes.assessment_types]\nname = 'Bezeichnung'\n")
    assert names_after(small_nights, UNUSUAL) == ["Brandschutz"]
    small_nights.path.joinpath("propsync.toml").unlink()
    assert names_after(small_nights, usual) == ["Fire risk"]
    assert small_nights.rebuild().exit_code == 0
    assert small_nights.column("select name from assessment_types") == ["Fire risk"]


def test_types_that_all_have_new_ids_are_known_on_the_night_that_shows_them(small_nights: SmallHome) -> None:
    """The run exited 3: none of the assets' types was known from an earlier night."""
    api = small_nights.server
    for when in ("first", "second"):
        api.types = [dict(kind, id=f"{when} {kind['id']}") for kind in (DOOR, LIFT)]
        api.assets = [asset(f"a{number}", type=api.types[number % 2]["id"]) for number in range(10)]
        assert small_nights.sync().left_behind == []
    assert small_nights.rows("select count(*) from assets where asset_type_id like 'second %'") == [(10,)]
