"""Texts that try to leave their place on a page."""

from __future__ import annotations

TEXTS = (
    "<script>document.title = 'taken'</script>",
    "</script></style></title><img src=x onerror=\"document.title = 'taken'\">",
    '" onmouseover="alert(1)" x=\'',
    "' style='position:fixed;inset:0",
    "<!-- ",
    "]]>&lt;&#60;",
    "{{ 7 * 7 }} {% include 'page.html' %}",
    "\u202eevael\u202c left \u2067right to left\u2069",
    "שלום עולם",
    "👩‍🚒🔥🚪 fire door",
    "line\nbreak\x00\x07\x1b[31m",
    "long " + "x" * 5_000,
)
_IN_SQL = "[" + ", ".join("'" + one.replace("\x00", "").replace("'", "''") + "'" for one in TEXTS) + "]"


def spoilt(table: str, *columns: str) -> str:
    """A statement that puts the texts into columns of a table, in turn."""
    each = ", ".join(f"{one} = {_IN_SQL}[rowid % {len(TEXTS)} + 1]" for one in columns)
    return f"update {table} set {each}"


SPOILT = (
    "insert into ops.value_issues select 'assets', 'a', 'name', 'issue', 'value', 'r' from range(40)",
    spoilt("ops.value_issues", "record_id", "name", "issue", "value"),
    spoilt("marts.schedule_status", "property_name", "assessment_type", "assignees", "status"),
    spoilt("marts.schedule_assignees", "property_name", "assessment_type", "user_name", "team"),
    spoilt("marts.compliance", "property_name", "assessment_type", "reason", "date_source"),
    "insert into marts.actions (assessment_id, action_id, is_open) select 'a', i, true from range(40) as t(i)",
    spoilt("marts.compliance_days", "assessment_type"),
    spoilt("marts.field_fill", "asset_type", "label", "kind"),
    "insert into marts.lookalikes (asset_type_id, why, value) select 't', 'same QR', i from range(40) as t(i)",
    spoilt("marts.lookalikes", "asset_type", "value", "asset_ids"),
    spoilt("marts.actions", "property_name", "assessment_type", "title", "priority", "responsible", "state"),
    "insert into marts.changes (changed_at, resource, record_id, field, change, is_first_load) "
    "select (select max(started_at) from ops.runs), 'assets', 'a', i, 'changed', false from range(40) as t(i)",
    "insert into marts.changes (changed_at, resource, record_id, field, change, is_first_load) "
    "select (select max(started_at) from ops.runs), 'schedules', 's', 'status', 'changed', false from range(9) as t(i)",
    spoilt("marts.changes", "record_id", "type", "label", "old_value", "new_value"),
    spoilt("marts.properties", "property_name"),
    "insert into ops.held_deletes select 'assets', 'a', 'why', 'r', i, '' from range(40) as t(i)",
    spoilt("ops.held_deletes", "record_id", "reason"),
    "insert into ops.rejected_records select max(run_id), 'assets', 'list', 1, 'why', '{}' from ops.run_resources, "
    "range(40) group by range",
    spoilt("ops.rejected_records", "list", "reason"),
    "insert into ops.reference_issues select 'users', 'f', 1, 'id', 'issue', true, 'r' from range(40)",
    spoilt("ops.reference_issues", "list", "record_id", "issue"),
    "update ops.checks set offending = 1",
    spoilt("ops.checks", "check_name", "example"),
    spoilt("ops.marts", "mart", "error"),
    "insert into main.documents (assessment_id, kind, version, is_latest, last_error) "
    "select i, 'report', 2, true, 'why' from range(40) as t(i)",
    spoilt("main.documents", "assessment_id", "kind", "state", "last_error"),
    spoilt("main.assessment_types", "name"),
)
"""Statements that put the texts wherever the page shows texts of the API or of people's lists."""
