"""Headings of people's lists: one that seems to mean a column of the marts is named, and is no mistake."""

from propsync.merge.reference.headings import other_headings
from propsync.merge.reference.list_file import Mistake, ReferenceList


def noted(*columns, table="properties"):
    found = ReferenceList(columns=["property_id", *columns], heading=3, rows=[], lines=[])
    return other_headings(table, found)


def test_a_heading_that_seems_to_mean_a_lacking_column_is_named():
    assert noted("property_name", "Number of homes", "post_code") == [
        Mistake(3, None, "marts read a column name, not property_name; if it has that, call it name"),
        Mistake(3, None, "marts read a column postcode, not post_code; if it has that, call it postcode"),
        Mistake(3, None, "marts read a column homes, not Number of homes; if it has that, call it homes"),
    ]


def test_all_headings_that_may_be_meant_are_named():
    """The name of a manager came first, and nothing named the one of the property."""
    reason = "marts read a column name, not manager_name or property_name; if one of them has that, call it name"
    assert noted("manager_name", "property_name", "email_address", "E-mail address") == [Mistake(3, None, reason)]


def test_other_columns_and_those_beside_the_right_one_say_nothing():
    assert noted("name", "property_name", "homes", "units", "heating", "rebuilt") == []


def test_a_heading_of_a_list_of_users_is_named_too():
    reason = "marts read a column name, not full_name; if it has that, call it name"
    assert noted("full_name", "team", table="users") == [Mistake(3, None, reason)]
    assert noted("site_name", table="blocks") == []
