"""Plans the way back of a run that wrote, and lists such runs, from what is published; it sends nothing."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from propsync.errors import UsageError
from propsync.push.journals.journal import Journalled, journals, read_journal
from propsync.push.outcome import Outcome
from propsync.push.plan import CREATE, DELETE, Entry, Plan
from propsync.push.planning.undo import Fields, Present, Recorded, way_back
from propsync.push.review.changes import counted
from propsync.push.values.published import Published
from propsync.push.values.schedule_values import MEMBERS
from propsync.push.values.written_values import Key, Rows, shown_values
from propsync.resources import ASSETS
from propsync.runbooks.push.hidden import hidden_members
from propsync.runbooks.push.tables import open_tables
from propsync.settings import Settings
from propsync.storage import LocalStorage, may_list
from propsync.warehouse import statement

_CHOOSE = "Take the run or the id of the plan from `propsync push history`"
_SHOW = "remove the line and run `propsync sync`"
_CHOOSE_SHOWN = f"{_CHOOSE}. It lacks what [privacy] hides: to undo that, {_SHOW}"
_HIDES = f"[privacy] hides values, and the undo leaves out those of the plan. To undo these too, {_SHOW} first"


def undo(settings: Settings, run: str) -> Plan:
    """The plan that reverses what a run applied; `run` may also be the id of the plan. Raises UsageError."""
    with open_tables(settings) as reader:
        published = Published(reader)

        def rows(query: str, values: dict[str, Any]) -> list[tuple[Any, ...]]:
            return reader.rows(query, values)[1]

        written = rows(statement("push/writes_to_undo"), {"run": run})
        recorded = [Recorded.of(row[1:]) for row in written]
        journalled = _journalled(settings, {run, *(row[0] for row in written)})
        if all(one.is_parked for one in recorded):
            if journalled is None and not _is_known(published, rows, run):
                what = "this home has no such run, and has applied no plan with this id"
                raise UsageError(run, what, _choose(settings))
            raise _nothing_to_undo(settings, run, journalled, is_parked=bool(recorded))
        if len({row[0] for row in written}) > 1:
            raise UsageError(run, "it recorded several plans", "Give the id of one plan from `propsync push history`")
        resource = recorded[0].resource
        _refuse_hidden(settings, run, recorded)
        present = _present(rows, resource, {one.key for one in recorded if one.key})
        unrecorded = _unrecorded(journalled, [one for one in recorded if not one.is_parked])
        found = way_back(_without(recorded, unrecorded), present, _fields(published), unrecorded)
        sizes, types = published.sizes(resource), published.types(resource)
        latest, api = published.run, published.api
    return Plan(
        resource,
        f"undo of {run}",
        "",
        latest,
        found.entries,
        found.refused,
        sizes,
        types,
        undoes=run,
        notes=[*found.notes, *([_HIDES] if _hides_any(settings, resource) else [])],
    ).of_api(api)


def _journalled(settings: Settings, plan_ids: Collection[str]) -> Journalled | None:
    """The journal of one of these plans; None if each is finished. Raises StateUnusable."""
    storage = LocalStorage(settings.home)
    found = (read_journal(storage, plan_id) for plan_id in journals(storage) if plan_id in plan_ids)
    return next(filter(None, found), None)


def _is_known(published: Published, rows: Rows, run: str) -> bool:
    """Whether a run has this id, or a plan that propsync applied."""
    return published.has_run(run) or bool(rows(statement("push/count_writes"), {"plan_id": run})[0][0])


def _choose(settings: Settings) -> str:
    """The next step if there is nothing to undo; `ops.writes` has no row of what is hidden."""
    return _CHOOSE_SHOWN if settings.privacy.hide else _CHOOSE


def _hides_any(settings: Settings, resource: str) -> bool:
    """Whether `[privacy]` hides anything that a plan of the resource may have written."""
    return any(line.type or line.resource == resource for line in settings.privacy.hide)


def _nothing_to_undo(settings: Settings, run: str, journalled: Journalled | None, *, is_parked: bool) -> UsageError:
    if journalled is None and is_parked:
        what = "propsync cannot tell what any write of this run did"
        return UsageError(run, what, "Look at the records that are parked in ops.writes")
    if journalled is None or not journalled.sent:
        return UsageError(run, "the API accepted no write of this run", _choose(settings))
    count = counted(len(journalled.sent), "record")
    what = f"the plan is unfinished, and propsync may have sent {count} without recording it"
    return UsageError(run, what, "Apply the plan again, then undo it")


def _unrecorded(journalled: Journalled | None, recorded: Sequence[Recorded]) -> list[Entry]:
    """The entries that propsync sent, without those that it recorded or whose outcome is that nothing was written."""
    if journalled is None:
        return []
    known = {(one.row, one.key) for one in recorded} | {(one.row, ()) for one in recorded if one.action == CREATE}
    sent = (number for number in sorted(journalled.sent) if _may_be_written(journalled.outcomes.get(number)))
    entries = (journalled.plan.entries[number] for number in sent)
    return [one for one in entries if (one.row, one.key) not in known]


def _without(recorded: Sequence[Recorded], unrecorded: Sequence[Entry]) -> list[Recorded]:
    """The records without new assets in flight, which are parked until the next apply of the plan."""
    rows = {one.row for one in unrecorded}
    return [one for one in recorded if not (one.is_parked and one.row in rows)]


def _may_be_written(outcome: Outcome | None) -> bool:
    return outcome is None or outcome.is_written


def _refuse_hidden(settings: Settings, run: str, recorded: Sequence[Recorded]) -> None:
    """Raises UsageError for deletes whose values are hidden: the schedules would come back without them."""
    hidden = hidden_members(settings, "schedules")
    if hidden & {*MEMBERS} and any(one.resource == "schedules" and one.action == DELETE for one in recorded):
        what = f"[privacy] hides {', '.join(sorted(hidden))}, so the schedules would come back without it"
        raise UsageError(run, what, "Remove the line, run `propsync sync`, and undo the run then")


def _present(rows: Rows, resource: str, keys: set[Key]) -> Mapping[Key, Present]:
    """The written records as they are now."""
    shown = shown_values(rows, resource, keys)
    if resource == ASSETS.name:
        places = rows(statement("push/places_of_assets"), {"ids": [key[0] for key in keys]})
        return {(one[0],): Present(one[1], one[2], shown[one[0],], one[3]) for one in places}
    of_schedules = {"properties": sorted({key[0] for key in keys})}
    places = rows(statement("push/places_of_schedules"), of_schedules)
    return {
        (one[0], one[1]): Present(one[0], one[1], shown[one[0], one[1]], *one[2:]) for one in places if one[:2] in keys
    }


def _fields(published: Published) -> Fields:
    of_types = {(one.id, field.id): field for one in published.asset_types for field in one.fields}
    of_any = {("", field_id): field for (_, field_id), field in of_types.items()}
    return of_any | of_types | {("", field.id): field for field in published.members}


@dataclass(frozen=True)
class Past:
    """One plan that propsync applied, in numbers of values; `run_id` recorded it first."""

    run_id: str
    plan_id: str
    file: str
    resource: str
    written_at: datetime
    records: int
    verified: int
    applied: int
    skipped: int
    failed: int


def history(settings: Settings) -> list[Past]:
    """The plans that propsync applied, the newest first. Raises UsageError if nothing is published."""
    with open_tables(settings) as reader:
        return [Past(*row) for row in reader.rows(statement("push/history"))[1]]


def unfinished(settings: Settings) -> list[Plan]:
    """Plans of which something is still to be sent, read back or recorded; none if the caller may not look there.

    Raises StateUnusable.
    """
    if not may_list(settings.state):
        return []
    storage = LocalStorage(settings.home)
    found = (read_journal(storage, plan_id) for plan_id in journals(storage))
    return [one.plan for one in found if one is not None]
