"""Refuses a plan from before `[privacy] hide`: `ops.writes` could not tell of it, nor an undo reverse it."""

from __future__ import annotations

from collections.abc import Iterator

from propsync.errors import UsageError
from propsync.merge import mark_of
from propsync.push.plan import Plan
from propsync.push.values.published import Published
from propsync.resources import ASSETS
from propsync.settings import Settings
from propsync.warehouse import PublishedReader, statement

_SYNC = "Run `propsync sync`, then apply the plan again"
_OTHERWISE = "Plan again without it; to send or finish this plan, remove the line and run `propsync sync`"


def refuse_hidden(reader: PublishedReader, settings: Settings, plan: Plan) -> None:
    """Raises UsageError if the plan writes anything hidden, also if an earlier `apply` began it.

    It asks the published tables, because a run at work holds the file of hidden records. They tell what is hidden
    once a run has cut them by the present lines.
    """
    lines = settings.privacy.hide
    if not lines:
        return
    where = f"plan {plan.plan_id}"
    if _published_mark(reader) != mark_of(lines):
        raise UsageError(where, "[privacy] hide has changed since the tables were published", _SYNC)
    if found := next(_hidden(Published(reader, hidden_members(settings, plan.resource)), plan), None):
        raise UsageError(where, f"it writes what [privacy] hides now: {found}", _OTHERWISE)


def hidden_members(settings: Settings, resource: str) -> set[str]:
    """The members of a resource of which `[privacy]` hides something."""
    return {line.path[0] for line in settings.privacy.hide if line.resource == resource and line.path}


def _published_mark(reader: PublishedReader) -> str:
    _, rows = reader.rows(statement("merge/hidden/remembered"))
    return str(rows[0][0]).partition(" ")[2] if rows else ""


def _hidden(published: Published, plan: Plan) -> Iterator[str]:
    """Rows of the plan whose type or field the tables no longer have, although they had it when the plan was made."""
    if plan.resource == ASSETS.name:
        shown = {one.id: {field.id for field in one.fields} for one in published.asset_types}
    else:
        members = {field.id for field in published.members if not field.is_hidden}
        shown = {one.id: members for one in published.assessment_types}
    for entry in plan.entries:
        row = "a row" if entry.row is None else f"row {entry.row}"
        if entry.type_id not in shown:
            yield f"{row} is of a hidden type"
        elif any(change.field not in shown[entry.type_id] for change in entry.changes):
            yield f"{row} has a hidden field"
