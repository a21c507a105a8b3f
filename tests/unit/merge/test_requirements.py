"""Promises of the list of requirements: conditions are one comparison, and a mistake has its line and its reason."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from propsync.merge.reference.list_file import ReferenceList
from propsync.merge.reference.requirements import (
    Condition,
    ConditionUnreadable,
    Known,
    Requirement,
    check_requirements,
    unused_columns,
)

COLUMNS = ["assessment_type_id", "property_id", "condition", "every_months"]


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("height_m >= 11", ("height_m", ">=", "11", 11.0)),
        ("height_m>=11", ("height_m", ">=", "11", 11.0)),
        ("Height m <= 17,5", ("height_m", "<=", "17,5", 17.5)),
        ("built_year<1965", ("built_year", "<", "1965", 1965.0)),
        ("homes > -1", ("homes", ">", "-1", -1.0)),
        ("region = North", ("region", "=", "North", None)),
        ("region != North East ", ("region", "!=", "North East", None)),
        ("region = 'North and South'", ("region", "=", "North and South", None)),
        ("code = '1,204'", ("code", "=", "1,204", None)),
        ('code = "<5"', ("code", "=", "<5", None)),
    ],
)
def test_a_condition_is_a_column_an_operator_and_a_value(written, read):
    found = Condition.of(written)
    assert (found.column, found.operator, found.value, found.number) == read


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("", "write a column"),
        ("height_m", "write a column"),
        (">= 11", "write a column"),
        ("height_m >=", "no value after >="),
        ("height_m => 11", "one comparison"),
        ("height_m == 11", "one comparison"),
        ("height_m >= tall", "compares numbers"),
        ("height_m >= 11 m", "compares numbers"),
        ("height_m >= 11 and region = North", "one comparison"),
        ("homes >= 1,204", "write 1204, or 1.204"),
        ("area != 1,204", "write 1204, or 1.204"),
        ("region = North or South", "one comparison"),
        ("region = ''", "no value"),
        ("1 = 1", "write a column"),
        ("homes >= 1e9", "compares numbers"),
        ("homes > nan", "compares numbers"),
    ],
)
def test_anything_else_is_refused_with_the_reason(written, said):
    with pytest.raises(ConditionUnreadable, match=said):
        Condition.of(written)


@given(st.text(max_size=60))
def test_no_text_makes_a_condition_of_anything_but_known_operators(written):
    try:
        found = Condition.of(written)
    except ConditionUnreadable:
        return
    assert found.operator in ("=", "!=", "<", "<=", ">", ">=")
    assert found.value
    assert found.number is not None or found.operator in ("=", "!=")


def test_a_row_names_a_property_or_a_condition_or_neither():
    assert Requirement.of({"assessment_type_id": "t", "every_months": "12.0"}) == Requirement("t", None, None, 12)
    assert Requirement.of({"assessment_type_id": "t", "property_id": "p"}).property_id == "p"
    with pytest.raises(ValueError, match="both"):
        Requirement.of({"assessment_type_id": "t", "property_id": "p", "condition": "homes > 1"})


@pytest.mark.parametrize("months", ["0", "-1", "1.5", "twelve", "1201", "12 months", "٣"])
def test_months_are_a_whole_number_that_makes_sense(months):
    with pytest.raises(ValueError, match="every_months"):
        Requirement.of({"assessment_type_id": "t", "every_months": months})


def faults(rows, known, columns=COLUMNS):
    lines = list(range(2, len(rows) + 2))
    found = ReferenceList(columns, 1, rows, lines)
    return [(one.line, one.key, one.issue) for one in check_requirements(found, known)]


def test_every_mistake_has_its_line_its_id_and_its_reason():
    known = Known({"t1", "t2"}, {"p1"}, ["property_id", "height_m"])
    rows = [
        ["t1", None, None, "12"],
        ["t9", None, None, None],
        ["t2", "p9", None, None],
        ["t2", None, "region = North", None],
        ["t2", None, "height_m", None],
        ["t1", None, None, "6"],
        [None, "p1", None, None],
        ["t2", "p1", None, None],
        ["t1", None, "height_m >= 11", "6"],
        ["t1", None, "height_m>=11", "6"],
    ]
    found = faults(rows, known)
    assert [(line, key) for line, key, _ in found] == [
        (3, "t9"),
        (4, "p9"),
        (5, "t2"),
        (6, "t2"),
        (7, "t1"),
        (8, None),
        (11, "t1"),
    ]
    said = [issue for *_, issue in found]
    assert "no assessment type with the id t9, or [privacy] hides it" in said[0]
    assert "has the property p9" in said[1]
    assert said[2] == "the list properties has no column region, only property_id, height_m"
    assert "cannot be read" in said[3]
    assert (
        said[4]
        == said[6].replace("line 10", "line 2")
        == "the same requirement appears more than once, first in line 2"
    )
    assert said[5] == "it has no assessment_type_id"


def test_ids_are_not_judged_before_propsync_has_seen_any():
    assert faults([["t", "p", None, None], ["t", None, "homes > 1", None]], Known()) == []


def test_a_condition_without_a_list_of_properties_is_a_mistake():
    ((_, _, said),) = faults([["t", None, "homes > 1", None]], Known(columns=[]))
    assert "gives no such list" in said


@pytest.mark.parametrize(
    "written", ["region != ‘North’", "region != “North”", "region != 'North'", 'region != "North"']
)
def test_quotes_of_any_shape_are_no_part_of_the_value(written):
    assert Condition.of(written) == Condition("region", "!=", "North", None)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("conditions", "condition"),
        ("property", "property_id"),
        ("propertyid", "property_id"),
        ("every_month", "every_months"),
    ],
)
def test_a_column_with_nearly_the_name_of_one_that_it_lacks_is_a_mistake_of_its_heading(written, meant):
    """Without the condition or the property, the rule would be one of every property, in silence."""
    columns = [written if name == meant else name for name in COLUMNS]
    said = faults([["t", None, None, None]], Known(), columns)
    assert said == [(1, None, f"requirements have a column {meant}, not {written}; call it {meant}")]


def test_a_list_may_have_further_columns():
    columns = [*COLUMNS, "conditions", "property", "property_name"]
    assert faults([["t", "p", None, None, "x", "y", "z"]], Known(), columns) == []
    assert faults([["t", "p", "x"]], Known(), ["assessment_type_id", "property_id", "property_name"]) == []
    assert faults([["t", "12", "x"]], Known(), ["assessment_type_id", "every_months", "property_name"]) == []


def test_a_list_without_the_column_of_types_is_a_mistake_of_its_heading():
    assert faults([["a"]], Known(), ["type"]) == [(1, None, "it has no column assessment_type_id, only type")]


def test_columns_that_seem_to_say_when_a_row_holds_or_how_often_are_noted():
    found = ReferenceList([*COLUMNS, "valid_from", "Frequency", "notes", "updated_by"], 1)
    assert [note.issue.partition(":")[0] for note in unused_columns(found)] == [
        "propsync does not use the column valid_from",
        "propsync does not use the column Frequency",
    ]
