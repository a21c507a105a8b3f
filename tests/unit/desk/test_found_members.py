"""Which columns of flags, actions and assessments play a part: by what they hold, and by their names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from propsync.desk import DeskChoices
from propsync.desk.found_members import FoundMembers
from propsync.desk.members import Member
from propsync.desk.named_columns import Named, named_columns
from propsync.warehouse import Warehouse, quoted

CHOICES = DeskChoices(datetime(2026, 1, 2, tzinfo=UTC), date(2026, 1, 2), "Europe/London")
Cells = Mapping[str, Sequence[str | None]]
DAYS = ["2026-01-01", "2026-02-01T10:00:00Z", "2026-03-01"]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Warehouse]:
    folder: Path = tmp_path_factory.mktemp("members")
    with Warehouse(folder / "state.duckdb", memory_limit="1GB", folder=folder) as warehouse:
        yield warehouse


def found(
    warehouse: Warehouse, table: str, cells: Cells, choices: DeskChoices = CHOICES, named: Named | None = None
) -> dict[str, str | None]:
    """The column for each part of a table that has these columns alone."""
    position = "row_number" if table == "bundle_actions" else "flag_position"
    before = [name for (name,) in warehouse.rows(f"select column_name from (describe main.{table})")]
    for name in cells:
        if name not in before:
            warehouse.execute(f"alter table main.{table} add column {quoted(name)} varchar")
    rows = list(zip(*cells.values(), strict=True))
    names = ", ".join(map(quoted, ("assessment_id", position, *cells)))
    for number, row in enumerate(rows, 1):
        marks = ", ".join("?" * (len(row) + 2))
        warehouse.execute(f"insert into main.{table} ({names}) values ({marks})", [f"a{number}", number, *row])
    evidence = FoundMembers(warehouse, choices, named or {}).evidence()
    warehouse.execute(f"delete from main.{table}")
    for name in cells:
        if name not in before:
            warehouse.execute(f"alter table main.{table} drop column {quoted(name)}")
    assert all(why for *_, why in evidence)
    assert all((value is None) is (source == "absent") for _, value, source, _ in evidence if source != "configured")
    return {setting.partition(".")[2]: value for setting, value, *_ in evidence if setting.startswith(f"{table}.")}


@pytest.mark.parametrize(
    ("cells", "parts"),
    [
        pytest.param(
            {"colour": ["open", "closed", "closed"], "seen": DAYS},
            {"status": "colour", "raised": "seen", "closed": None, "title": None},
            id="the only column with fitting values plays a part under any name",
        ),
        pytest.param(
            {"is_open": ["true", "false", "true"], "closed_on": [None, DAYS[0], None], "raised_at": DAYS},
            {"status": "is_open", "closed": "closed_on", "raised": "raised_at"},
            id="a column of yes and no says what is open",
        ),
        pytest.param(
            {"seen": DAYS, "heard": DAYS, "status": ["1", "2", "3"]},
            {"status": None, "raised": None},
            id="two columns of dates without a telling name decide nothing, nor does a status of numbers",
        ),
        pytest.param(
            {
                "status": ["open", '{"code": "open"}', '{"code": "closed"}'],
                "status_code": [None, "open", "closed"],
                "title": ["Gap", '{"en": "Gap", "de": "Spalt"}', '["Gap", "Spalt"]'],
                "title_en": [None, "Gap", "Gap"],
            },
            {"status": "status_code", "title": "title_en"},
            id="the JSON of objects beside one text is no text",
        ),
        pytest.param(
            {"text": ["Door a", "Door b", "Door c"], "description": ["x", "y", "z"]},
            {"title": "text", "reason": "description"},
            id="a text is a title if nothing else is",
        ),
        *(
            pytest.param(
                {"raised_at": [written, written, None], "closed_on": [None, written, ""]},
                {"raised": "raised_at", "closed": "closed_on"},
                id=f"a day such as {written} under a telling name is reported",
            )
            for written in ("2026/01/31", "31.01.2026", "31/01/26 10:00", "31 Jan 2026", "1769817600", "1769817600000")
        ),
        pytest.param(
            {"raised_by": ["12/7", "3.5", "7"], "seen": ["31/01/2026"] * 3},
            {"raised": None, "closed": None},
            id="other numbers are no days, and days in another form need a telling name",
        ),
        pytest.param(
            {"raised_by": ["1000000012", "1000000345"], "closed_by_user_id": ["1000000012", None]},
            {"raised": None, "closed": None},
            id="numbers of people are no moments",
        ),
        pytest.param(
            {"due_date": DAYS, "updated_at": DAYS},
            {"raised": None, "closed": None},
            id="when it is due or changed is not when it was raised",
        ),
        pytest.param(
            {"severity": ["High", "Low", "odd"], "likelihood": ["High", "Low", "Low"], "title": ["a", "b", "c"]},
            {"priority": "severity", "title": "title"},
            id="a name decides between two columns of priorities",
        ),
        pytest.param(
            {"closed_at": [None, " 2026-01-01 ", None], "raised_at": [f"{day} " for day in DAYS]},
            {"closed": "closed_at", "raised": "raised_at"},
            id="dates with blanks around them are dates, as in the marts",
        ),
    ],
)
def test_members_of_flags(made: Warehouse, cells: Cells, parts: Mapping[str, str | None]) -> None:
    told = found(made, "assessment_flags", cells)
    assert {part: told[part] for part in parts} == parts


def test_days_that_propsync_reads_in_the_history_precede_others_in_the_flag(made: Warehouse) -> None:
    made.execute("alter table main.assessment_flag_history add column created_at varchar")
    made.execute(
        "insert into main.assessment_flag_history (assessment_id, flag_position, position, created_at)"
        " values ('a1', 1, 1, '2026-01-31')"
    )
    columns = found(made, "assessment_flags", {"created_at": ["1769817600"]})
    made.execute("delete from main.assessment_flag_history")
    made.execute("alter table main.assessment_flag_history drop column created_at")
    assert columns["raised"] is None


def test_one_word_that_people_named_makes_a_column_of_states(made: Warehouse) -> None:
    """Otherwise their entry would count for nothing, and no flag would have a state."""
    cells: Cells = {"status": ["offen", "erledigt", "erledigt"], "colour": ["offen", "rot", "rot"]}
    words = replace(CHOICES, flag_open=("offen",))
    assert found(made, "assessment_flags", cells, words)["status"] is None
    assert found(made, "assessment_flags", cells, replace(words, configured=("flag_open",)))["status"] == "status"
    closed = replace(CHOICES, flag_closed=("erledigt",), configured=("flag_closed",))
    assert found(made, "assessment_flags", cells, closed)["status"] == "status"


def test_columns_that_people_name_play_their_parts_whatever_they_hold(made: Warehouse) -> None:
    cells: Cells = {
        "nr": ["7", "8", "9"],
        "titel": [None, None, None],
        "massnahme": ["Tür", "Schild", "Kette"],
        "faellig": ["31.01.2026", "bald", ""],
        "closed_on": DAYS,
        "foto": ["", "", "x.png"],
    }
    parts = {"id": ("nr",), "title": ("titel", "massnahme"), "due": ("faellig",), "closed": (), "evidence": ("foto",)}
    told = found(made, "bundle_actions", cells, named={"bundle_actions": parts})
    expected = {"id": "nr", "title": "massnahme, titel", "due": "faellig", "closed": None, "evidence": "foto"}
    assert {part: told[part] for part in expected} == expected


def test_a_column_that_people_name_plays_no_other_part(made: Warehouse) -> None:
    cells: Cells = {"status": ["Open", "Closed", "Done"], "ref": ["a", "b", "c"]}
    told = found(made, "bundle_actions", cells, named={"bundle_actions": {"title": ("ref",)}})
    assert (told["title"], told["reference"]) == ("ref", "reference")
    told = found(made, "bundle_actions", cells, named={"bundle_actions": {"priority": ("status",)}})
    assert (told["priority"], told["status"]) == ("status", None)


def test_a_named_column_of_yes_and_no_means_what_its_name_says(made: Warehouse) -> None:
    made.execute("alter table main.assessment_flags add column is_open varchar")
    made.execute("insert into main.assessment_flags (assessment_id, flag_position, is_open) values ('a', 1, 'true')")
    read = FoundMembers(made, CHOICES, {"assessment_flags": {"status": ("is_open",)}}).fragments()["flag_status"]
    assert made.rows(f"select {read} from main.assessment_flags as flags") == [("open",)]
    made.execute("delete from main.assessment_flags")
    made.execute("alter table main.assessment_flags drop column is_open")


def test_each_named_column_of_yes_and_no_means_what_its_own_name_says(made: Warehouse) -> None:
    """One CSV has `is_open`, another `is_closed`, a third words. The words of state are those of the tenant."""
    columns = {"is_open": "true", "is_closed": "true", "stand": "Erledigt"}
    choices = replace(CHOICES, action_open=("offen",), action_closed=("erledigt",), configured=("action_open",))
    for number, (name, cell) in enumerate(columns.items(), 1):
        made.execute(f"alter table main.bundle_actions add column {name} varchar")
        row = ["a", number, cell]
        made.execute(f"insert into main.bundle_actions (assessment_id, row_number, {name}) values (?, ?, ?)", row)
    read = FoundMembers(made, choices, {"bundle_actions": {"status": tuple(columns)}}).fragments()["action_status"]
    told = made.rows(f"select {read} from main.bundle_actions as actions order by row_number")
    made.execute("delete from main.bundle_actions")
    for name in columns:
        made.execute(f"alter table main.bundle_actions drop column {name}")
    assert told == [("offen",), ("erledigt",), ("Erledigt",)]


@pytest.mark.parametrize("header", ["Lfd. Nr.", "lfd. nr. ", "LFD NR", "Lfd.  Nr", "lfd_nr"])
def test_a_header_counts_in_each_way_that_gives_its_column(made: Warehouse, header: str) -> None:
    """The first CSV had `Lfd. Nr. `, with a blank at its end."""
    made.execute("alter table main.bundle_actions add column lfd_nr varchar")
    made.execute("insert into main.bundle_actions (assessment_id, row_number, lfd_nr) values ('a', 1, '7')")
    columns = [("bundle_actions", "Lfd. Nr. ", "lfd_nr")]
    told = named_columns(made, {"bundle_actions": {"id": (header,), "title": ("Titel",)}}, columns)
    made.execute("delete from main.bundle_actions")
    made.execute("alter table main.bundle_actions drop column lfd_nr")
    assert told[0] == {"bundle_actions": {"id": ("lfd_nr",)}}
    assert [one.line for one in told[1]] == ["[desk.bundle_actions] title: bundle_actions has no column Titel"]


@pytest.mark.parametrize(
    ("cells", "parts"),
    [
        pytest.param(
            {"status": ["?", "!", "-"], "due_date": ["31/01/2026", "1/2", "soon"], "image": ["", "", "x.png"]},
            {"status": "status", "due": "due_date", "evidence": "image", "closed": None},
            id="a usual column that is filled plays its part, whatever it holds, so that its misfits are shown",
        ),
        pytest.param(
            {"action_status": ["Open", "Closed", "Done"], "target_date": DAYS, "evidence_after": ["x", "", ""]},
            {"status": "action_status", "due": "target_date", "evidence": "evidence_after"},
            id="other columns play the parts of usual ones that are empty",
        ),
        pytest.param(
            {"target_date": ["31/05/2026", "01/06/2026", ""], "est_cost": ["£1,200", "£5", ""]},
            {"due": "target_date", "cost": "est_cost"},
            id="columns in a form that propsync does not read come before empty usual ones, so that misfits are shown",
        ),
        pytest.param(
            {
                "asset_id": ["d1", "d1", "d2"],
                "issue_id": ["7", "8", "9"],
            },
            {"id": "issue_id"},
            id="the id of something else is no id of an action",
        ),
        pytest.param(
            {
                "priority": ["High", "Low", None, None],
                "risk_priority": [None, None, "Low", ""],
                "due_date": ["2026-01-01", "", None, None],
                "target_date": [None, None, "2026-02-01", "2026-03-01"],
                "closed_on": [None, None, "2026-02-01", ""],
                "completed": ["31/01/2026", "", None, None],
                "cost": ["£5.00", "£7.00", None, None],
                "est_cost": [None, None, "5", "7"],
            },
            {
                "priority": "priority, risk_priority",
                "due": "due_date, target_date",
                "closed": "closed_on, completed",
                "cost": "cost, est_cost",
            },
            id="where CSVs have other headers, each has its column",
        ),
        pytest.param(
            {
                "reference": ["R-1", "R-2", None, None],
                "property_reference": [None, None, "P-1", "P-1"],
                "closed_on": ["2026-01-01", "", None, None],
                "expected_completion": [None, None, "2027-02-01", "2027-03-01"],
            },
            {"reference": "reference", "closed": "closed_on"},
            id="CSVs with other headers may have no column for a part",
        ),
        pytest.param(
            {"due_date": ["2026-01-01", "", None], "target_date": ["2026-02-01", "", "2026-03-01"]},
            {"due": "due_date"},
            id="two columns of one CSV are not one: an empty cell is no other day",
        ),
        pytest.param(
            {"title": ["a", "b", "c"]},
            {"status": "status", "cost": "cost", "evidence": None, "raised": None},
            id="where nothing is filled the usual columns stay",
        ),
    ],
)
def test_columns_of_actions(made: Warehouse, cells: Cells, parts: Mapping[str, str | None]) -> None:
    told = found(made, "bundle_actions", cells)
    assert {part: told[part] for part in parts} == parts


def test_a_status_that_is_empty_everywhere_leaves_the_state_to_closing_dates(made: Warehouse) -> None:
    made.execute("alter table main.bundle_actions add column completed_on varchar")
    made.execute(
        "insert into main.bundle_actions (assessment_id, row_number, completed_on, status, image) "
        "values ('a', 1, '2026-01-01', ' ', ' '), ('a', 2, '', '\t', '')"
    )
    fragments = FoundMembers(made, CHOICES, {}).fragments()
    assert fragments["action_closes_by_date"] == "true"
    made.execute("update main.bundle_actions set status = 'open' where row_number = 1")
    assert FoundMembers(made, CHOICES, {}).fragments()["action_closes_by_date"] == "false"
    made.execute("delete from main.bundle_actions")
    made.execute("alter table main.bundle_actions drop column completed_on")


@pytest.mark.parametrize(
    ("written", "read"),
    [(" ", None), ("\t\n", None), ("\u200b", None), ("", None), (" open ", "open"), ("open", "open")],
)
def test_blanks_around_a_cell_say_nothing(made: Warehouse, written: str, read: str | None) -> None:
    cell = Member("status", "status", "the usual column").read("cells")
    query = f"select {cell} from (select $written as status) as cells"
    assert made.value(query, {"written": written}) == read
