"""Records that do not say what they should: propsync loses nothing of them, and the run continues."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Any

import pytest
from kit.dialects import Dialect
from kit.encoding import Literal
from kit.world import small_world
from kit.world_home import WorldHome
from kit.world_server import WorldServer

from propsync.runbooks import Report


class Odd:
    """A small world with records of ours at the end of its lists; fields are named by their column."""

    def __init__(self) -> None:
        self.world = small_world(assets=24, assessments=9, schedules=6)
        self.doors = self.world.asset_types[0]
        self.fields = {one.column: one for one in self.doors.fields}
        self.home: WorldHome
        self.report: Report
        self.world.odd = {resource: [] for resource in ("asset_types", "assets", "assessments", "schedules")}

    def asset(self, asset_id: Any, *results: tuple[str, Any], **members: Any) -> None:
        told = [
            {"type": self.fields[name].shown, "field": self.fields[name].id, "value": value} for name, value in results
        ]
        record = {"id": asset_id, "property": "p", "type": self.doors.id, "fields": told} | members
        self.world.odd["assets"].append(record)

    def values(self, asset_id: str, columns: str) -> list[Any]:
        """Rows of the asset's field values, by their place in it."""
        query = f"select {columns} from asset_field_values where asset_id = '{asset_id}' order by position"
        return self.home.rows(query)

    def issues(self, asset_id: str) -> list[Any]:
        query = f"select name, issue, value from ops.value_issues where record_id = '{asset_id}' order by all"
        return self.home.rows(query)


def _odd() -> Odd:
    odd = Odd()
    odd.asset("twice", ("location", "first"), ("height_mm", 1), ("location", "second"))
    odd.asset(
        "misfits",
        ("height_mm", "12 mm"),
        ("installed", "soon"),
        ("door_closes_at", "25:99"),
        ("fire_rating", "FD30"),
        ("location", {"rich": "text"}),
        ("qr", ["a", "b"]),
        ("photo", "photo.jpg"),
    )
    odd.asset("misfits too", ("height_mm", True), ("installed", 20240101), ("door_closes_at", {"h": 1}))
    odd.asset(
        "impossible day", ("installed", "2024-02-30"), ("door_closes_at", "24:01"), ("height_mm", Literal("1e400"))
    )
    odd.asset("nulls", *((name, None) for name in odd.fields))
    odd.asset("empty", ("location", ""), ("fire_rating", []), ("qr", ""))
    odd.asset("unknown option", ("fire_rating", ["nobody-offers-this", odd.fields["fire_rating"].options[0][0]]))
    first = odd.fields["fire_rating"].options[0][0]
    odd.asset("one option object", ("fire_rating", {"label": "another label", "id": first}))
    odd.asset("one option number", ("fire_rating", 30))
    odd.asset("no option object", ("fire_rating", {"label": "no id"}))
    odd.asset("unknown field", fields=[{"type": "text", "field": "nobody-defines-this", "value": "kept"}])
    odd.asset(
        "unknown kind", fields=[{"type": "signature", "field": "f-sign", "value": {"by": "me", "strokes": [1, 2]}}]
    )
    odd.asset("no field", fields=[{"type": "text", "value": "whose?"}, "not even an object", None])
    odd.asset("no fields", fields=None)
    odd.asset("fields is a text", fields="none")
    odd.asset("of no type we know", type="type-of-nowhere", fields=[])
    odd.asset("of no property", property=None)
    odd.asset("strange letters", ("location", Literal('"tab\\t nul\\u0000 quote\\" emoji\\ud83d\\udeaa"')))
    odd.asset(None)
    odd.asset("")
    odd.asset(["not", "an", "id"])
    odd.world.odd["assets"] += [{"property": "p", "type": odd.doors.id, "fields": []}, "not an object", None, 7]
    odd.world.odd["asset_types"] = [{"name": "A type without an id", "fields": []}]
    odd.world.odd["assessments"] = [
        {"status": "approved", "comment": "no id"},
        {"id": "flags null", "property": "p", "type": "k", "status": "approved", "flags": None},
        {
            "id": "flags odd",
            "property": "p",
            "type": "k",
            "status": "approved",
            "flags": ["x", {"label": "y", "history": 1}],
        },
        {"id": "unknown status", "property": "p", "type": "k", "status": "archived", "flags": []},
    ]
    plain = {"property": "p", "status": "notstarted", "dueDate": "2026-01-01"}
    odd.world.odd["schedules"] = [
        plain,
        {"type": "k0", "status": "notstarted"},
        plain | {"type": "k1", "assignedUsers": []},
        plain | {"type": "k2", "assignedUsers": None},
        plain | {"type": "k3", "dueDate": "next week", "assignedUsers": ["u2", "u1", "u2"]},
        plain | {"type": "k4", "dueDate": "", "description": "", "customReference": ""},
        plain | {"property": "p/q", "type": "r", "dueDate": "first"},
        plain | {"property": "p", "type": "q/r", "dueDate": "second"},
    ]
    return odd


@pytest.fixture(scope="session")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Odd]:
    made = _odd()
    with WorldServer(Dialect(made.world)) as server:
        made.home = WorldHome(tmp_path_factory.mktemp("odd") / "home", server)
        made.report = made.home.sync()
        yield made


def test_records_without_a_usable_key_do_not_stop_the_run(odd: Odd) -> None:
    assert (odd.report.exit_code, odd.report.left_behind) == (0, [])


def test_records_without_a_usable_key_are_told_with_their_payload(odd: Odd) -> None:
    of_assets = "select payload::varchar from ops.rejected_records where resource = 'assets' and run_id = ?"
    payloads = odd.home.column(of_assets, odd.report.run_id)
    assert [one for one in ('"not an object"', "null", "7") if one not in payloads] == []
    assert sum('"id"' in payload for payload in payloads) == 3
    counted = {name: told["rejected"] for name, told in odd.report.resources.items() if told["rejected"]}
    assert counted["assets"] == len(payloads)
    assert counted["schedules"] == 2
    assert counted["asset_types"] == 1


def _is_stored(odd: Odd, asset_id: str) -> bool:
    return bool(odd.home.rows(f"select 1 from assets where asset_id = '{asset_id}'"))


def test_all_others_are_there(odd: Odd) -> None:
    unkeyed = [one for one in odd.world.odd["assets"] if not (isinstance(one, dict) and isinstance(one.get("id"), str))]
    kept = len(odd.world.assets) + len(odd.world.odd["assets"]) - len(unkeyed) - 1
    assert odd.home.rows("select count(*) from assets") == [(kept,)]
    assert odd.home.rows("select count(*) from schedules") == [(len(odd.world.schedules) + 6,)]


def test_the_same_field_twice_keeps_the_first_and_tells_the_rest(odd: Odd) -> None:
    assert odd.values("twice", "position, value_text") == [(1, "first"), (2, "1")]
    location = odd.fields["location"].id
    assert odd.issues("twice") == [(location, "the same field twice: the first is kept", '"second"')]


def test_a_value_that_does_not_fit_its_kind_stays_as_text_or_json_and_is_told(odd: Odd) -> None:
    typed = "value_number, value_date, value_time, value_options"
    assert odd.values("misfits", f"value_text, value_json::varchar, {typed}") == [
        ("12 mm", None, None, None, None, None),
        ("soon", None, None, None, None, None),
        ("25:99", None, None, None, None, None),
        ("FD30", None, None, None, None, ["FD30"]),  # one option without its array is still a choice
        (None, '{"rich":"text"}', None, None, None, None),
        (None, '["a","b"]', None, None, None, None),
        ("photo.jpg", '"photo.jpg"', None, None, None, None),
    ]
    assert odd.values("misfits too", f"value_text, value_json::varchar, {typed}") == [
        ("true", None, None, None, None, None),
        ("20240101", None, None, None, None, None),
        (None, '{"h":1}', None, None, None, None),
    ]
    assert odd.values("impossible day", f"value_text, {typed}") == [
        ("2024-02-30", None, None, None, None),
        ("24:01", None, None, None, None),
        ("1e400", None, None, None, None),
    ]
    told = odd.issues("misfits") + odd.issues("misfits too") + odd.issues("impossible day")
    assert sorted((name, value) for name, issue, value in told if issue.startswith("does not fit")) == sorted(
        [
            ("Height (mm)", "12 mm"),
            ("Installed", "soon"),
            ("Door closes at", "25:99"),
            ("Location", '{"rich":"text"}'),
            ("QR", '["a","b"]'),
            ("Height (mm)", "true"),
            ("Installed", "20240101"),
            ("Door closes at", '{"h":1}'),
            ("Installed", "2024-02-30"),
            ("Door closes at", "24:01"),
            ("Height (mm)", "1e400"),
        ]
    )


def test_the_wide_table_shows_no_value_that_does_not_fit(odd: Odd) -> None:
    query = "select height_mm, installed, door_closes_at from by_type.communal_fire_doors where asset_id = 'misfits'"
    assert odd.home.rows(query) == [(None, None, None)]


def test_a_null_keeps_its_row_with_every_value_column_null(odd: Odd) -> None:
    columns = "value_text, value_number, value_date, value_time, value_options, value_option_labels, value_json"
    assert odd.values("nulls", columns) == [(None,) * 7] * len(odd.fields)
    assert odd.issues("nulls") == []
    query = "select * exclude (asset_id, property_id) from by_type.communal_fire_doors where asset_id = 'nulls'"
    assert odd.home.rows(query) == [(None,) * len(odd.fields)]


def test_an_empty_text_is_an_empty_text_and_an_empty_list_an_empty_list(odd: Odd) -> None:
    assert odd.values("empty", "value_text, value_options, value_option_labels") == [
        ("", None, None),
        (None, [], []),
        ("", None, None),
    ]
    assert odd.issues("empty") == []


def test_an_option_that_nobody_offers_keeps_its_id_and_is_told(odd: Odd) -> None:
    known, label = odd.fields["fire_rating"].options[0]
    assert odd.values("unknown option", "value_options, value_option_labels") == [
        (["nobody-offers-this", known], [None, label])
    ]
    assert [issue for _, issue, _ in odd.issues("unknown option")] == ["names an option that its field does not offer"]
    query = "select fire_rating from by_type.communal_fire_doors where asset_id = 'unknown option'"
    assert odd.home.rows(query) == [(f"nobody-offers-this; {label}",)]


def test_one_choice_without_its_array_is_still_a_choice(odd: Odd) -> None:
    chosen, label = odd.fields["fire_rating"].options[0]
    values = "value_text, value_json::varchar, value_options, value_option_labels"
    assert odd.values("one option object", values) == [(None, None, [chosen], [label])]
    assert odd.values("one option number", values) == [("30", None, ["30"], [None])]
    assert odd.values("no option object", values) == [(None, '{"label":"no id"}', None, None)]
    assert odd.issues("one option object") == []
    assert [issue for _, issue, _ in odd.issues("one option number")] == [
        "names an option that its field does not offer"
    ]
    assert [issue for _, issue, _ in odd.issues("no option object")] == ["does not fit the kind option"]
    query = "select fire_rating from by_type.communal_fire_doors where asset_id = 'one option object'"
    assert odd.home.rows(query) == [(label,)]


def test_an_unknown_field_has_no_label_and_an_unknown_kind_is_kept_as_json(odd: Odd) -> None:
    assert odd.values("unknown field", "field_id, label, value_text") == [("nobody-defines-this", None, "kept")]
    assert odd.values("unknown kind", "kind, label, value_json::varchar") == [
        ("signature", None, '{"by":"me","strokes":[1,2]}')
    ]


def test_a_field_result_that_names_no_field_is_told(odd: Odd) -> None:
    assert odd.values("no field", "value_text") == []
    assert [(name, issue) for name, issue, _ in odd.issues("no field")] == [
        ("field result 1", "names no field"),
        ("field result 2", "names no field"),
        ("field result 3", "names no field"),
    ]


@pytest.mark.parametrize("asset_id", ["no fields", "fields is a text", "of no type we know"])
def test_an_asset_without_field_results_is_an_asset(odd: Odd, asset_id: str) -> None:
    assert _is_stored(odd, asset_id)
    assert odd.values(asset_id, "field_id") == []


def test_a_type_that_no_list_shows_is_there_unlisted(odd: Odd) -> None:
    query = "select name, is_listed, table_name from asset_types where asset_type_id = 'type-of-nowhere'"
    ((name, is_listed, table_name),) = odd.home.rows(query)
    assert (name, is_listed) == (None, False)
    assert odd.home.rows(f"select asset_id from by_type.{table_name}") == [("of no type we know",)]


def test_an_asset_without_a_property_is_an_asset(odd: Odd) -> None:
    assert odd.home.rows("select property_id from assets where asset_id = 'of no property'") == [(None,)]


def test_letters_come_through_as_they_are(odd: Odd) -> None:
    assert odd.values("strange letters", "value_text") == [('tab\t nul\0 quote" emoji🚪',)]


def test_flags_that_are_no_flags_stop_nothing(odd: Odd) -> None:
    query = "select assessment_id, flag_position, label from assessment_flags where assessment_id like 'flags%'"
    assert ("flags odd", 2, "y") in odd.home.rows(query)
    assert odd.home.rows("select count(*) from assessment_flag_history where assessment_id like 'flags%'") == [(0,)]


def test_a_status_that_nobody_knows_is_kept(odd: Odd) -> None:
    assert odd.home.rows("select status from assessments where assessment_id = 'unknown status'") == [("archived",)]


def test_users_are_kept_in_order_and_an_empty_list_of_them_is_no_null(odd: Odd) -> None:
    query = "select assessment_type_id, assigned_users, due_date from schedules where property_id = 'p' "
    assert odd.home.rows(f"{query} and assessment_type_id like 'k%' order by all") == [
        ("k1", [], date(2026, 1, 1)),
        ("k2", None, date(2026, 1, 1)),
        ("k3", ["u2", "u1", "u2"], None),
        ("k4", None, None),
    ]


def test_an_empty_text_of_a_schedule_is_no_null(odd: Odd) -> None:
    query = "select description, custom_reference from schedules where assessment_type_id = 'k4'"
    assert odd.home.rows(query) == [("", "")]


def test_a_due_date_that_is_no_date_is_told(odd: Odd) -> None:
    query = "select record_id, value from ops.value_issues where resource = 'schedules' order by all"
    assert "next week" in [value for _, value in odd.home.rows(query)]


def test_issues_of_two_pairs_of_ids_that_join_to_one_text_stay_apart(odd: Odd) -> None:
    query = "select record_id, value from ops.value_issues where value in ('first', 'second') order by value"
    assert odd.home.rows(query) == [(r"p\/q/r", "first"), (r"p/q\/r", "second")]


def test_a_second_run_finds_nothing_new_in_odd_records(odd: Odd) -> None:
    report = odd.home.sync()
    assert report.exit_code == 0
    assert {name: (told["inserted"], told["updated"]) for name, told in report.resources.items()} == dict.fromkeys(
        report.resources, (0, 0)
    )


def test_a_documented_key_that_no_record_has_fails_its_resource_loudly(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    class Nameless(Dialect):
        def asset(self, one: Any) -> dict[str, Any]:
            told = super().asset(one)
            del told["id"]
            return told

    with WorldServer(Nameless(small_world(assets=12, assessments=9, schedules=6))) as server:
        home = WorldHome(tmp_path_factory.mktemp("nameless") / "home", server)
        report = home.sync()
        assert report.exit_code == 3
        assert len(report.left_behind) == 1
        assert "no record has the documented member 'id'" in report.left_behind[0]
        assert "[shapes.assets]" in report.left_behind[0]
        assert home.rows("select count(*) from assessments") == [(9,)]
        assert home.rows("select count(*) from schedules") == [(6,)]
        assert home.rows("select count(*) from asset_types where is_listed") == [(len(server.world.asset_types),)]


@pytest.mark.slow
def test_half_a_letter_in_one_record_loses_no_other_record(tmp_path_factory: pytest.TempPathFactory) -> None:
    """JavaScript writes this for a text that it cut inside an emoji."""
    world = small_world(assets=12, assessments=0, schedules=0)
    cut = {"type": "text", "field": "f", "value": Literal('"cut \\ud83d here"')}
    world.odd = {"assets": [{"id": "a", "property": "p", "type": "t", "fields": [cut]}]}
    with WorldServer(Dialect(world)) as server:
        home = WorldHome(tmp_path_factory.mktemp("cut") / "home", server)
        assert home.sync().exit_code == 0
        assert home.rows("select count(*) from assets") == [(13,)]
        assert home.rows("select value_text from asset_field_values where asset_id = 'a'") == [("cut \ufffd here",)]
        assert home.sync().resources["assets"]["unchanged"] == 13
