"""From when until when people manage a property: days that their list gives, and those that nobody can read."""

import pytest

from propsync.merge.reference.list_file import Mistake, ReferenceList
from propsync.merge.reference.managed_days import check_managed


def listed(**days):
    return ReferenceList(columns=["property_id", *days], heading=1, rows=[["p1", *days.values()]], lines=[2])


@pytest.mark.parametrize(
    "days",
    [
        {},
        {"managed_from": None, "managed_until": None},
        {"managed_from": "2026-04-01"},
        {"managed_until": "2027-03-31T00:00:00"},
        {"managed_from": "2026-04-01", "managed_until": "2026-04-01"},
        {"sold_on": "31/03/2026"},
        {"managed_by": "A. Manager", "managed": "yes"},
        {"managed_units": "12", "managed_room": "G-04", "managed_to": "a high standard"},
        {"managed_untill": None},
    ],
)
def test_days_that_say_what_they_mean_are_no_mistake(days):
    assert check_managed(listed(**days), "property_id") == []


@pytest.mark.parametrize("written", ["31/03/2026", "March 2026", "2026-02-30", "46112", "2026-04-01T09:30:00"])
def test_a_day_that_nobody_can_read_is_a_mistake_with_its_line(written):
    (mistake,) = check_managed(listed(managed_from=None, managed_until=written), "property_id")
    assert (mistake.line, mistake.key) == (2, "p1")
    assert mistake.issue.startswith(f"managed_until is '{written}': write a date such as 2026-03-31")


def test_a_column_with_nearly_the_name_is_a_mistake_since_a_sold_property_would_count():
    found = check_managed(listed(managed_untill="2026-03-31"), "property_id")
    assert found == [Mistake(1, None, "marts read a column managed_until, not managed_untill; call it managed_until")]
    assert check_managed(listed(managed_until_="12", managed_till="31/3/26"), "property_id")
    assert check_managed(listed(managed_form="46112"), "property_id")


def test_days_the_wrong_way_round_are_a_mistake():
    found = check_managed(listed(managed_from="2026-04-01", managed_until="2026-03-31"), "property_id")
    assert found == [Mistake(2, "p1", "managed_until, 2026-03-31, is before managed_from, 2026-04-01")]
