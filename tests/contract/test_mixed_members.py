"""Records of one night that write a member in several forms: each counts, or a row says which does not."""

from __future__ import annotations

from typing import Any

from kit.small_api import SmallHome

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
