"""Promises of `[desk]`: each entry has one form, and a wrong one is refused by name before a run begins."""

from datetime import UTC, date, datetime

import pytest

from propsync.desk import DeskChoices
from propsync.desk.found_members import FoundMembers
from propsync.errors import SettingsError
from propsync.settings import PARTS, DeskSettings, load_settings
from propsync.warehouse import Warehouse


def desk(home, text):
    home.mkdir(exist_ok=True)
    (home / "propsync.toml").write_text(text, encoding="utf-8")
    return load_settings(environ={"PROPSYNC_HOME": str(home)}).desk


def test_an_empty_table_or_none_leaves_every_choice_to_the_data(tmp_path):
    assert desk(tmp_path / "none", "") == DeskSettings()
    assert desk(tmp_path / "empty", "[desk]\n") == DeskSettings()


def test_every_entry_is_read_and_words_are_in_lower_case(tmp_path):
    text = """
        [desk]
        assessment_date = " performedDate "
        fails = "Fail, Poor"
        flag_open = ["Open"]
        flag_closed = ["Erledigt"]
        action_open = ["open", "In progress"]
        action_closed = "Erledigt, Entfallen"
        priority_order = ["P1", "P2"]
        due_soon_days = 0
        fiscal_year_end = "12-31"
        [desk.roles]
        installed = "Date fitted*"
        serial = ["Serial", "S/N"]
        [desk.roles.Doors]
        result = []
    """
    assert desk(tmp_path / "home", text) == DeskSettings(
        assessment_date="performedDate",
        roles={"installed": ("Date fitted*",), "serial": ("Serial", "S/N")},
        type_roles={"Doors": {"result": ()}},
        fails=("fail", "poor"),
        flag_open=("open",),
        flag_closed=("erledigt",),
        action_open=("open", "in progress"),
        action_closed=("erledigt", "entfallen"),
        priority_order=("p1", "p2"),
        due_soon_days=0,
        fiscal_year_end="12-31",
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("desk = 5", "it is not a table"),
        ("[desk]\ndue_soon = 3", "has an entry due_soon"),
        ("[desk]\ndue_soon_days = true", "due_soon_days is True"),
        ("[desk]\ndue_soon_days = -1", "due_soon_days is -1"),
        ("[desk]\ndue_soon_days = 3.5", "due_soon_days is 3.5"),
        ('[desk]\nfiscal_year_end = "31-03"', "fiscal_year_end is '31-03'"),
        ('[desk]\nfiscal_year_end = "02-29"', "a day of every year"),
        ("[desk]\nfiscal_year_end = 2026-03-31", "fiscal_year_end is datetime.date"),
        ("[desk]\nfails = []", "fails is an empty list"),
        ('[desk]\nfails = ["", "x"]', "fails is"),
        ("[desk]\nflag_open = [1]", "flag_open is [1]"),
        ('[desk]\naction_open = ["Open", "open"]', "'open' more than once"),
        ("[desk]\naction_closed = []", "action_closed is an empty list"),
        ('[desk]\nflag_open = ["Done"]\nflag_closed = ["done"]', "flag_open and flag_closed both have 'done'"),
        ('[desk]\nassessment_date = ""', "assessment_date is ''"),
        ("[desk]\nroles = 3", "roles is 3"),
        ("[desk]\nbundle_actions = 3", "bundle_actions is 3"),
        ('[desk.bundle_actions]\ntitel = "x"', "[desk.bundle_actions] has a part titel, and propsync knows id, "),
        ("[desk.assessment_flags]\nstatus = 7", "status is 7"),
        ('[desk.assessments]\nassessor_id = [""]', "[desk.assessments] assessor_id is"),
        ('[desk.roles]\nserials = "x"', "has a role serials"),
        ("[desk.roles]\nserial = 7", "serial is 7"),
        ('[desk.roles.Lifts]\ncolour = "x"', "[desk.roles.'Lifts'] has a role colour"),
        ('[desk.roles.Lifts]\nserial = [""]', "[desk.roles.'Lifts'] serial"),
    ],
)
def test_an_entry_that_cannot_be_valid_is_refused_by_file_and_name(tmp_path, text, said):
    with pytest.raises(SettingsError) as caught:
        desk(tmp_path / "home", text)
    assert caught.value.exit_code == 2
    assert said in str(caught.value)
    assert f"desk in {tmp_path / 'home' / 'propsync.toml'}" in str(caught.value)


def test_the_types_of_a_measure_are_names_or_ids(tmp_path):
    text = '[desk.measures]\nBS01 = [" Boiler check ", "id 1"]\nBS05 = "Lifts"\n'
    assert desk(tmp_path / "home", text).measures == {"BS01": ("Boiler check", "id 1"), "BS05": ("Lifts",)}


@pytest.mark.parametrize("written", ["measures = 1", "measures = {BS01 = []}", "measures = {BS01 = [1]}"])
def test_types_of_a_measure_in_another_form_are_refused_by_name(tmp_path, written):
    with pytest.raises(SettingsError, match="measures"):
        desk(tmp_path / "home", f"[desk]\n{written}\n")


def test_a_part_has_one_column_or_several_or_none(tmp_path):
    text = """
        [desk.bundle_actions]
        title = " Maßnahme "
        due = ["Fällig am", "Termin"]
        closed = []
        [desk.assessments]
        assessor_name = "pruefer"
    """
    assert desk(tmp_path / "home", text).columns == {
        "bundle_actions": {"title": ("Maßnahme",), "due": ("Fällig am", "Termin"), "closed": ()},
        "assessments": {"assessor_name": ("pruefer",)},
    }


def test_people_may_name_each_part_that_propsync_looks_for(tmp_path):
    with Warehouse(tmp_path / "state.duckdb", memory_limit="1GB", folder=tmp_path) as warehouse:
        choices = DeskChoices(datetime(2026, 1, 2, tzinfo=UTC), date(2026, 1, 2), "UTC")
        settings = {setting for setting, *_ in FoundMembers(warehouse, choices, {}).evidence()}
    assert {f"{table}.{part}" for table, parts in PARTS.items() for part in parts} == settings
