"""The doctor names members that may be about people, as a line of `[privacy] hide` would name them."""

from __future__ import annotations

import duckdb

from propsync.runbooks.doctor_privacy import personal
from propsync.warehouse import statement

SHAPES = [("flags", '[["flags"], ["marks"]]'), ("flag_history", '[["log", "entries"]]'), ("list", '[["assessments"]]')]
COLUMNS = [
    ("main", "assessment_flags", "tenantName"),
    ("main", "assessment_flag_history", "byPhone"),
    ("main", "tenants", "dateOfBirth"),
    ("main", "schedules", "eMail"),
    ("main", "bundle_actions", "Name"),
    ("by_type", "doors", "f-1"),
]


def test_words_in_the_name_of_a_member_count_however_it_joins_them() -> None:
    named = ["assessments.tenantName", "assessments.phone_number", "assets.dateOfBirth", "assets.eMail", "tenants.DOB"]
    assert personal([*named, "assets.renamedAt", "assets.Healthy", "assets.unnamed"]) == sorted(named)


def test_members_of_flags_and_of_further_lists_go_by_the_line_that_hides_them() -> None:
    with duckdb.connect() as connection:
        connection.execute("create schema ops; create table asset_type_fields as select 'Resident notes' as label")
        connection.execute("create table ops.resources as select 'tenants' as resource")
        connection.execute("create table ops.columns (table_schema varchar, table_name varchar, source varchar)")
        connection.executemany("insert into ops.columns values (?, ?, ?)", COLUMNS)
        connection.execute("create table ops.shapes (resource varchar, part varchar, paths json)")
        connection.executemany("insert into ops.shapes values ('assessments', ?, ?)", SHAPES)
        found = connection.execute(statement("runbooks/labels_with_values")).fetchall()
    assert [name for (name,) in found] == [
        "Resident notes",
        "assessments.flags.log.entries.byPhone",
        "assessments.flags.tenantName",
        "schedules.eMail",
        "tenants.dateOfBirth",
    ]
