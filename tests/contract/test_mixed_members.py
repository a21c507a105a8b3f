"""Records of one night that write a member in several forms: each counts, or a row says which does not."""

from __future__ import annotations

import json
from typing import Any

import pytest
from kit.comparing import assert_same, difference
from kit.small_api import DOOR, LIFT, SmallHome, assessment, asset
from variants import daily

from propsync.runbooks.doctor.examine import examine

ISSUES = "select record_id, name, issue, value from ops.value_issues order by all"


def schedule(type_id: str, users: Any) -> dict[str, Any]:
    return {"property": "p1", "type": type_id, "status": "notstarted", "assignedUsers": users}


def show_schedules(home: SmallHome, *schedules: dict[str, Any]) -> None:
    body = {"total": len(schedules), "schedules": schedules}
    home.server.answer = lambda path, query: (200, body) if path == "/assessments/schedules" else None


def test_assigned_users_count_in_every_form_that_names_them(small_nights: SmallHome):
    show_schedules(
        small_nights,
        schedule("k1", ["u1", "u2"]),
        schedule("k2", "u9"),
        schedule("k3", [{"id": "u2"}, {"id": "u1"}]),
        schedule("k4", {"u2": True}),
    )
    assert small_nights.sync().exit_code == 0
    users = [("k1", ["u1", "u2"]), ("k2", ["u9"]), ("k3", ["u2", "u1"]), ("k4", None)]
    for table in ("schedules", "history.schedules_typed"):
        assert small_nights.rows(f"select assessment_type_id, assigned_users from {table} order by 1") == users
    assert small_nights.rows(ISSUES) == [("p1/k4", "assigned_users", "names no user", '{"u2":true}')]


def test_a_chosen_option_may_be_an_object_with_the_name_of_its_id(small_nights: SmallHome):
    options = [{"id": "o1", "label": "Good"}, {"id": "o2", "label": "Poor"}]
    small_nights.server.types = [
        {"id": "t1", "name": "Doors", "fields": [{"id": "f1", "type": "option", "label": "State", "options": options}]}
    ]
    chosen = [["o1"], [{"id": "o2"}], [{"optionId": "o1"}, {"optionId": "o2"}], [{"option": "o2"}]]
    chosen += [[{"$oid": "o1"}], [{"option_id": "o1"}], [{"option-id": "o2"}]]
    small_nights.server.assets = [
        asset(f"a{number}", fields=[{"type": "option", "field": "f1", "value": value}])
        for number, value in enumerate(chosen)
    ]
    assert small_nights.sync().exit_code == 0
    states = [
        ("a0", "Good"),
        ("a1", "Poor"),
        ("a2", "Good; Poor"),
        ("a3", "Poor"),
        ("a4", "Good"),
        ("a5", "Good"),
        ("a6", "Poor"),
    ]
    assert small_nights.rows("select asset_id, state from by_type.doors order by 1") == states


def show_options(home: SmallHome, options: Any, value: Any) -> None:
    defined = {"id": "f1", "type": "option", "label": "State", "options": options}
    home.server.types = [{"id": "t1", "name": "Doors", "fields": [defined]}]
    result = {"type": "option", "field": "f1", "value": value}
    home.server.assets = [asset(f"a{number}", fields=[result]) for number in range(6)]


def test_options_and_choices_in_no_known_form_are_never_silent(small_nights: SmallHome):
    """Every label was NULL, or every choice."""
    good = [{"id": "o1", "label": "Good"}, {"id": "o2", "label": "Poor"}]
    told = "asset types: field options could not be read: most options are arrays"
    show_options(small_nights, [["o1", "Good"], ["o2", "Poor"]], ["o1"])
    report = small_nights.sync()
    assert (report.exit_code, [line.startswith(told) for line in report.left_behind]) == (3, [True])
    show_options(small_nights, good, {"ids": ["o1"]})
    report = small_nights.sync()
    assert (report.exit_code, len(report.left_behind)) == (3, 1)
    assert "6 of 6 values do not fit the kind option" in report.left_behind[0]
    shapes = [one for one in examine(small_nights.settings()) if one.what.startswith("shape") and not one.is_well]
    assert [one.what for one in shapes] == ["shape of assets: result_value:option"]
    show_options(small_nights, good, "o1,o2")
    assert small_nights.sync().exit_code == 3
    show_options(small_nights, good, [one | {"isSelected": one["id"] == "o1"} for one in good])
    assert small_nights.sync().exit_code == 3  # each option looked chosen
    show_options(small_nights, good, ["o1"])
    assert small_nights.sync().exit_code == 0
    assert small_nights.rows("select distinct state from by_type.doors") == [("Good",)]


@pytest.mark.parametrize(
    ("kind", "odd"),
    daily(
        [("number", "1.234,50"), ("date", "31-12-2026"), ("time", "9.30 Uhr"), ("text", {"nl": "deur", "de": "Tür"})],
        1,
        is_row=True,
    ),
)
def test_values_that_mostly_do_not_fit_their_kind_are_never_silent(small_nights: SmallHome, kind: str, odd: Any):
    def show(value: Any, count: int) -> None:
        small_nights.server.assets = [
            asset(f"a{at}", fields=[{"type": kind, "field": "f1", "value": value}]) for at in range(count)
        ]

    show(odd, 4)
    assert small_nights.sync().exit_code == 0  # a few are rows of ops.value_issues
    show(odd, 5)
    assert small_nights.sync().exit_code == 3
    (home := small_nights.path).joinpath("propsync.toml").write_text(
        f"[shapes.assets]\n'result_value:{kind}' = 'value'\n", encoding="utf-8"
    )
    assert small_nights.sync().exit_code == 0  # people may accept it
    home.joinpath("propsync.toml").unlink()
    assert small_nights.sync().exit_code == 3
    show({"number": 1.5, "date": "2026-12-31", "time": "09:30", "text": "deur"}[kind], 5)
    assert small_nights.sync().exit_code == 0


@pytest.mark.parametrize(
    ("field", "around"),
    [({"field": "f1"}, None), ({"field": {"id": "f1", "label": "Where"}}, None), ({"field": "f1"}, "data")],
)
def test_a_pin_whose_places_are_members_keeps_all_of_them(
    small_nights: SmallHome, field: dict[str, Any], around: str | None
) -> None:
    """The column of pins had x or the floor plan alone, or nothing where empty pins have a null under `value`."""
    small_nights.server.types = [DOOR | {"fields": [{"id": "f1", "type": "pin", "label": "Where"}]}]

    def pin(**members: Any) -> dict[str, Any]:
        return {"type": "pin"} | ({around: field | members} if around else field | members)

    places = [pin(x=0.25, y=0.5, floorPlan=f"plan-{n}") for n in range(6)]
    empty = [pin(value=None), pin(x=None, y=None, floorPlan=None), pin()]
    small_nights.server.assets = [asset(f"a{n}", fields=[one]) for n, one in enumerate([*places, *empty])]
    assert small_nights.sync().exit_code == 0
    found = small_nights.rows("select value_json::varchar from asset_field_values order by asset_id")
    read = [None if held is None else json.loads(held) for (held,) in found]
    assert read == [{"x": 0.25, "y": 0.5, "floorPlan": f"plan-{n}"} for n in range(6)] + [None] * 3


def test_a_field_of_which_no_value_fits_is_never_silent(small_nights: SmallHome):
    """Its column was NULL with exit code 0, because other fields of its kind were read."""
    numbers = [{"id": one, "type": "number", "label": one} for one in ("f1", "f2", "f3")]
    small_nights.server.types = [DOOR | {"fields": numbers}]

    def show(count: int, *, others: Any = None) -> Any:
        def fields(odd: Any) -> list[dict[str, Any]]:
            told = [("f1", 1.5), ("f2", 2), ("f3", odd)]
            return [{"type": "number", "field": field, "value": value} for field, value in told]

        small_nights.server.assets = [
            asset(f"a{n}", fields=fields("1.234,50" if n < count else others)) for n in range(9)
        ]
        return small_nights.sync()

    assert show(4).exit_code == 0  # a few are rows of ops.value_issues
    assert show(8, others=3.5).exit_code == 0  # and so are many, if the form of the field is known
    report = show(5)
    evidence = "none of 5 values of the field f3 fits the kind number"
    assert (report.exit_code, report.left_behind) == (
        3,
        [f"assets: result value:number could not be read: {evidence}. Run `propsync doctor`"],
    )


def test_bare_values_that_mostly_do_not_fit_are_never_silent(small_nights: SmallHome):
    """They have no member that propsync could find, so that nothing was reported."""
    small_nights.server.types = [DOOR | {"fields": [{"id": "f1", "type": "number", "label": "Width"}]}]

    def show(value: Any) -> int:
        small_nights.server.assets = [asset(f"a{n}", fields={"f1": value}) for n in range(5)]
        return small_nights.sync().exit_code

    assert show("1.234,50") == 3
    configuration = small_nights.path / "propsync.toml"
    configuration.write_text("[shapes.assets]\n'result_value:number' = ''\n", encoding="utf-8")
    assert show("1.234,60") == 0  # people may accept it
    configuration.unlink()
    assert show("1.234,70") == 3
    assert show(1.5) == 0
    assert small_nights.rows("select distinct width from by_type.doors") == [(1.5,)]


def test_the_first_day_that_a_program_can_write_is_no_date_of_an_odd_form(small_nights: SmallHome):
    """Programs of .NET write it where nobody entered a date."""
    unset = {"type": "date", "field": "f1", "value": "0001-01-01T00:00:00"}
    small_nights.server.assets = [asset(f"a{at}", fields=[unset]) for at in range(6)]
    assert small_nights.sync().exit_code == 0


def test_assigned_users_of_which_propsync_can_read_none_are_never_silent(small_nights: SmallHome):
    """Without a word, every schedule would look assigned to nobody."""
    show_schedules(small_nights, schedule("k1", [{"user": {"id": "u1"}}]), schedule("k2", []))
    report = small_nights.sync()
    (line,) = report.left_behind
    assert report.exit_code == 3
    assert line.startswith("schedules: assigned users could not be read: assignedUsers of ")
    (finding,) = [one for one in examine(small_nights.settings()) if one.what == "shape of schedules: assigned_users"]
    assert not finding.is_well
    show_schedules(small_nights, schedule("k1", ["u1"]), schedule("k2", None))
    assert small_nights.sync().exit_code == 0


def test_users_in_one_text_are_never_silent(small_nights: SmallHome):
    """`u1,u2` looked like the id of one user, whom nobody knows."""
    show_schedules(small_nights, schedule("k1", "u1,u2"), schedule("k2", "u3"))
    report = small_nights.sync()
    assert (report.exit_code, len(report.left_behind)) == (3, 1)
    assert small_nights.rows(ISSUES) == [("p1/k1", "assigned_users", "names no user", '"u1,u2"')]
    assert small_nights.rows("select assigned_users from schedules order by all") == [(["u3"],), (None,)]
    show_schedules(small_nights, schedule("k1", ["u1,u2", "u4"]), schedule("k2", ["u3"]))
    assert small_nights.sync().exit_code == 0
    assert small_nights.rows("select assigned_users from schedules order by all") == [(["u3"],), (["u4"],)]


def test_documented_members_under_a_similar_name_are_never_silent(small_nights: SmallHome):
    """Every due date was NULL, so that nothing was overdue."""
    told = {"property": "p1", "status": "notstarted"}
    forms: list[dict[str, Any]] = [
        {"due_date": "2026-01-01"},
        {"attributes": {"dueDate": "2026-01-01"}},
        {"node": {"dueDate": "2026-01-01"}},
    ]
    for form in forms:
        show_schedules(small_nights, told | form | {"type": "k1"}, told | form | {"type": "k2"})
        report = small_nights.sync()
        assert (report.exit_code, len(report.left_behind)) == (3, 1)
        assert report.left_behind[0].startswith("schedules: members could not be read: no record has dueDate")
    show_schedules(
        small_nights, told | {"type": "k1", "dueDate": None}, told | {"type": "k2", "due_date": "2026-01-01"}
    )
    assert small_nights.sync().exit_code == 0


def test_a_type_by_its_name_counts_by_the_id_beside_it_from_the_first_night(small_nights: SmallHome):
    """The first night knew no types yet: tables by type were empty, and took other names with the second night."""
    small_nights.server.types = [DOOR, LIFT]
    typed = [("Doors", "t1"), ("Lifts", "t2")] * 4
    small_nights.server.assets = [asset(f"a{n}", type=name, typeId=known) for n, (name, known) in enumerate(typed)]
    assert small_nights.sync().exit_code == 0
    assert small_nights.rows("select distinct asset_type_id, asset_type from assets order by all") == [
        ("t1", "Doors"),
        ("t2", "Lifts"),
    ]


def test_types_by_name_alone_are_never_silent_on_the_first_night(small_nights: SmallHome):
    small_nights.server.types = [DOOR, LIFT]
    small_nights.server.assets = [asset(f"a{n}", type=("Doors", "Lifts")[n % 2]) for n in range(8)]
    assert small_nights.sync().left_behind[0].startswith("assets: type could not be read: none of 8 values at type")


@pytest.mark.parametrize(
    ("extra", "value"),
    [
        ({"floorplan": "fl1"}, {"x": 0.5, "y": 0.25, "floorplan": "fl1"}),
        ({"pin": {"floorplan": "fl1"}}, {"floorplan": "fl1"}),
        ({"value": "0.5, 0.25"}, "0.5, 0.25"),
    ],
)
def test_the_places_of_a_pin_beside_its_plan_are_part_of_it_unless_its_value_is_whole(
    small_nights: SmallHome, extra: dict[str, Any], value: Any
) -> None:
    """The floor plan alone was the value of each pin, with exit code 0."""
    small_nights.server.types = [DOOR | {"fields": [{"id": "f1", "type": "pin", "label": "Where"}]}]
    pin = {"type": "pin", "field": "f1", "x": 0.5, "y": 0.25} | extra
    small_nights.server.assets = [asset(f"a{number}", fields=[pin]) for number in range(6)]
    report = small_nights.sync()
    assert (report.exit_code, report.left_behind) == (0, [])
    [(found,)] = small_nights.rows("select distinct value_json::varchar from asset_field_values")
    assert json.loads(found) == value


def test_results_of_another_kind_than_their_fields_are_never_silent(small_nights: SmallHome):
    """Every value in the column of numbers was NULL, with exit code 0."""
    number = {"id": "f1", "type": "number", "label": "Width"}
    small_nights.server.types = [DOOR | {"fields": [number]}]

    def show(*values: Any) -> int:
        kinds = {str: "text", int: "number"}
        results = [{"type": kinds[type(value)], "field": "f1", "value": value} for value in values]
        small_nights.server.assets = [asset(f"a{n}", fields=[one]) for n, one in enumerate(results)]
        return small_nights.sync().exit_code

    assert show(*["12 cm"] * 5, 1) == 3
    query = "select after from ops.schema_changes where name = 'result_value:text' and after <> 'value'"
    assert "unread" in str(small_nights.rows(query))
    assert show(*["12 cm"] * 4, 1, 2, 3, 4) == 0
    issue = "is of the kind text, its field of the kind number"
    assert small_nights.rows("select distinct issue from ops.value_issues") == [(issue,)]


def test_a_field_of_another_type_with_the_same_id_lends_its_kind_to_no_value(small_nights: SmallHome):
    """Every night ended with exit code 3, because most values were of the other kind."""
    number = {"id": "f1", "type": "number", "label": "Load"}
    small_nights.server.types = [DOOR, {"id": "t2", "name": "Lifts", "fields": [number]}]
    assert small_nights.sync().exit_code == 0
    assert small_nights.rows("select count(*) from asset_field_values where value_text like 'door %'") == [(6,)]


def test_objects_with_nothing_in_them_are_no_values_that_do_not_fit(small_nights: SmallHome):
    def result(value: str | None) -> dict[str, Any]:
        return {"type": "text", "field": "f1", "value": {"value": value}}

    small_nights.server.assets = [asset(f"a{n}", fields=[result(None if n else "red")]) for n in range(8)]
    assert small_nights.sync().exit_code == 0
    assert small_nights.rows("select count(*), count(value_text) from asset_field_values") == [(8, 1)]


STATUSES = "select assessment_id, status from assessments order by 1"


def without_status(key: str, status: str) -> dict[str, Any]:
    one = assessment(key, hidden=status)
    del one["status"]
    return one


def first_pages(home: SmallHome, asked: list[tuple[str, str]]) -> None:
    """Notes (performed, status) of each request for a page of assessments from now on."""

    def note(path: str, query: dict[str, str]) -> None:
        if path == "/assessments" and query["limit"] != "1":
            asked.append((query["performed"], query["status"]))

    home.server.answer = note


@pytest.mark.slow
def test_a_status_that_some_records_lack_comes_from_their_list(small_nights: SmallHome):
    api = small_nights.server
    api.assessments = [
        assessment("s0"),
        assessment("s1", status="inprogress"),
        without_status("s2", "submitted"),
        without_status("s3", "approved"),
    ]
    told = [("s0", "approved"), ("s1", "inprogress"), ("s2", "submitted"), ("s3", "approved")]
    assert small_nights.sync().exit_code == 0
    assert small_nights.rows(STATUSES) == told
    assert small_nights.rows(ISSUES) == []
    asked: list[tuple[str, str]] = []
    first_pages(small_nights, asked)
    assert small_nights.sync().exit_code == 0
    assert all("," not in status for _, status in asked)  # the same answers are read the same way
    assert small_nights.rows(STATUSES) == told
    assert small_nights.rebuild().exit_code == 0
    assert small_nights.rows(STATUSES) == told
    api.assessments[2:] = [assessment("s2", status="submitted"), assessment("s3")]
    assert small_nights.sync().exit_code == 0
    asked.clear()
    assert small_nights.sync().exit_code == 0
    assert small_nights.rows(STATUSES) == told
    assert {status for _, status in asked} == {"inprogress,submitted,approved"}


def test_a_lone_record_without_a_status_costs_no_requests_and_has_a_row(small_nights: SmallHome):
    small_nights.server.assessments.append(without_status("odd", "approved"))
    asked: list[tuple[str, str]] = []
    first_pages(small_nights, asked)
    assert small_nights.sync().exit_code == 0
    assert {status for _, status in asked} == {"inprogress,submitted,approved"}
    assert small_nights.rows("select status from assessments where assessment_id = 'odd'") == [(None,)]
    issue = "is missing, and its list is of several statuses"
    assert small_nights.rows(ISSUES) == [("odd", "status", issue, None)]


def test_flags_in_every_form_have_their_rows_or_an_issue(small_nights: SmallHome):
    small_nights.server.assessments = [
        assessment("s0", flags=[{"label": "Late", "history": [{"state": "open"}]}]),
        assessment("s1", flags=[{"label": "Late", "log": [{"state": "closed"}]}]),
        assessment("s2", flags="Overdue"),
        assessment("s3", flags=True),
        assessment("s4", flags=[{"label": "Late", "history": "opened in May"}]),
        assessment("s5", flags={"items": [{"label": "Late"}]}),
        assessment("s6", flags={"items": []}),
    ]
    assert small_nights.sync().exit_code == 0
    history = "select assessment_id, state from assessment_flag_history order by 1"
    assert small_nights.rows(history) == [("s0", "open"), ("s1", "closed")]
    assert small_nights.rows("select assessment_id, label from assessment_flags order by 1") == [
        ("s0", "Late"),
        ("s1", "Late"),
        ("s4", "Late"),
    ]
    unread = ("s4", "history of flag 1", "is no array of entries", "opened in May")
    issue = "is neither an array nor an object of flags"
    listed = ("s5", "flags", issue, '{"items":[{"label":"Late"}]}')
    odd = [("s2", "flags", issue, "Overdue"), ("s3", "flags", issue, "true"), unread, listed]
    assert [one for one in small_nights.rows(ISSUES) if one[1] == "flags" or one == unread] == odd


@pytest.mark.slow
def test_one_text_in_place_of_an_object_takes_no_column_and_no_value_from_other_records(small_nights: SmallHome):
    people = [{"name": f"Ann {number}", "level": number} for number in range(4)]
    small_nights.server.assessments = [assessment(f"s{at}", assessor=person) for at, person in enumerate(people)]
    small_nights.server.assessments[0]["assessor"] = "nobody"
    assert small_nights.sync().exit_code == 0
    of_person = "select assessor_name, assessor_level::varchar from assessments order by assessment_id"
    assert small_nights.rows(of_person) == [(None, None), *((one["name"], str(one["level"])) for one in people[1:])]
    small_nights.server.assessments[1]["assessor"] = people[1] | {"level": "trainee"}
    small_nights.server.assessments[0]["assessor"] = "somebody"
    assert small_nights.sync().exit_code == 0
    assert small_nights.rows(of_person)[:2] == [(None, None), ("Ann 1", "trainee")]
    small_nights.server.assessments[0]["assessor"] = people[0]
    assert small_nights.sync().exit_code == 0
    assert small_nights.rows(of_person)[0] == ("Ann 0", "0")


@pytest.mark.slow
def test_a_column_for_a_member_that_was_an_object_has_the_object_of_earlier_rows(small_nights: SmallHome):
    small_nights.has_desk = True
    small_nights.server.assets = [asset(f"a{at}", occupant={"name": f"Ann {at}", "pets": [1]}) for at in range(3)]
    small_nights.sync()
    small_nights.server.assets[0]["occupant"] = "nobody"
    small_nights.server.assets[1]["occupant"] = {"name": "Ann", "pets": "none"}
    small_nights.sync()
    shown = small_nights.rows("select occupant::json->>'name', occupant_pets from assets where asset_id = 'a2'")
    assert shown == [("Ann 2", "[1]")]
    before = small_nights.copy_of_published()
    small_nights.rebuild()
    assert difference(before, small_nights.published) == {}
    assert difference(before, small_nights.published, "marts.changes") == {}


@pytest.mark.slow
@pytest.mark.parametrize("values", daily([[7, [1, 2]], [[], 2.5], [True, {"a": 1}], [{"a": 1}, True]], 2))
def test_an_object_or_array_where_other_nights_have_a_scalar_is_text_in_each_row(
    small_nights: SmallHome, values: list[Any]
):
    shown = {one["id"]: one for one in small_nights.server.assessments}
    for key, value in zip(["s0", "s1"], values, strict=True):
        shown[key]["score"] = value
        assert small_nights.sync().exit_code == 0
    rows = small_nights.rows("select score from assessments where assessment_id in ('s0', 's1') order by assessment_id")
    assert [json.loads(text) for (text,) in rows] == values
    before = small_nights.copy_of_published()
    small_nights.rebuild()
    assert_same(before, small_nights.published)


@pytest.mark.slow
def test_an_array_one_night_and_an_object_the_next_make_the_columns_of_both_at_once(small_nights: SmallHome):
    shown = small_nights.server.assessments
    for one, value in zip(shown, ([], {"a": 1}), strict=False):
        one["meta"] = value
        assert small_nights.sync().exit_code == 0
    assert small_nights.rows("select meta_a from assessments where meta_a is not null") == [(1,)]
    before = small_nights.copy_of_published()
    small_nights.rebuild()
    assert_same(before, small_nights.published)


@pytest.mark.slow
def test_a_column_has_the_type_that_closed_versions_need(small_nights: SmallHome):
    shown = small_nights.server.assessments[0]
    for value in ({"a": 1}, None, 7):
        shown["score"] = value
        assert small_nights.sync().exit_code == 0
    assert small_nights.rows("select score from assessments where score is not null") == [("7",)]
    before = small_nights.copy_of_published()
    small_nights.rebuild()
    assert_same(before, small_nights.published)


ENTRIES = [{"state": "open"}, {"state": "closed"}]


@pytest.mark.parametrize(
    "flag", daily([{"flag": {"label": "Late", "history": ENTRIES}}, {"attributes": {"history": ENTRIES}, "id": "f"}], 1)
)
def test_a_flag_in_a_wrapper_has_its_history(small_nights: SmallHome, flag: dict[str, Any]):
    small_nights.server.assessments = [assessment("s0", flags=[flag]), assessment("s1")]
    assert small_nights.sync().exit_code == 0
    assert small_nights.column("select state from assessment_flag_history order by position") == ["open", "closed"]


@pytest.mark.slow
def test_a_history_that_an_object_numbers_is_read(small_nights: SmallHome):
    numbered = {"0": ENTRIES[0], "1": ENTRIES[1]}
    small_nights.server.assessments = [assessment("s0", flags=[{"label": "Late", "history": numbered}])]
    assert small_nights.sync().exit_code == 0
    assert small_nights.column("select state from assessment_flag_history order by position") == ["open", "closed"]
    small_nights.server.assessments.append(assessment("s1", flags=[{"label": "Late", "history": ENTRIES[:1]}]))
    small_nights.server.assessments.append(assessment("s2", flags=[{"history": {"1700000000": ENTRIES[0]}}]))
    assert small_nights.sync().exit_code == 0
    history = "select assessment_id, count(*) from assessment_flag_history group by 1 order by 1"
    assert small_nights.rows(history) == [("s0", 2), ("s1", 1)]
    assert [one[:3] for one in small_nights.rows(ISSUES)] == [("s2", "history of flag 1", "is no array of entries")]
    before = small_nights.copy_of_published()
    small_nights.rebuild()
    assert_same(before, small_nights.published)


def test_an_audit_of_a_flag_is_no_history(small_nights: SmallHome):
    audit = {"created": {"by": "u1", "on": "2026-01-01"}, "modified": {"by": "u2"}}
    small_nights.server.assessments = [assessment("s0", flags=[{"label": "Late", "audit": audit}])]
    assert small_nights.sync().exit_code == 0


@pytest.mark.parametrize("history", daily([{"17": ENTRIES[0], "21": ENTRIES[1]}, ["opened in May"], [["open"]]], 1))
def test_a_history_of_flags_in_no_known_form_is_never_silent(small_nights: SmallHome, history: Any):
    """Otherwise an empty table would say that no flag ever changed."""
    small_nights.server.assessments = [assessment("s0", flags=[{"label": "Late", "history": history}])]
    report = small_nights.sync()
    (line,) = report.left_behind
    assert report.exit_code == 3
    assert line.startswith("assessments: flag history could not be read: history of 1 of 1 flags")
    (finding,) = [one for one in examine(small_nights.settings()) if one.what == "shape of assessments: flag_history"]
    assert not finding.is_well
    small_nights.server.assessments = [assessment("s0", flags=[{"label": "Late", "history": ENTRIES}])]
    assert small_nights.sync().exit_code == 0
    small_nights.server.assessments = [assessment("s0", flags=[{"label": "Late", "history": history}])]
    assert small_nights.sync().exit_code == 3


def test_a_history_beside_the_flags_is_never_silent(small_nights: SmallHome):
    beside = {"flagHistory": [{"flag": "f1", "state": "open"}]}
    small_nights.server.assessments = [assessment("s0", flags=[{"id": "f1", "label": "Late"}], **beside)]
    report = small_nights.sync()
    told = "assessments: flag history could not be read: flagHistory of 1 assessments is beside their flags"
    assert (report.exit_code, [line.startswith(told) for line in report.left_behind]) == (3, [True])
    small_nights.server.assessments = [assessment("s0", flags=[{"id": "f1", "label": "Late"}])]
    assert small_nights.sync().exit_code == 0
