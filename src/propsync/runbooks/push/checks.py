"""Checks a plan before `push apply` sends anything."""

from __future__ import annotations

from propsync.errors import (
    UsageError,
)
from propsync.push.journals.erased import names_erased
from propsync.push.journals.journal import Pair, journal_key
from propsync.push.journals.recorded import RecordedWrite, recorded_outcomes
from propsync.push.plan import CREATE, Plan
from propsync.push.planning.created_before import CreatedBefore
from propsync.push.planning.row_checks import first_of
from propsync.push.sending.creations import KnownAssets
from propsync.push.values.exchanged import renamed_since
from propsync.push.values.published import Published
from propsync.resources import ASSETS
from propsync.runbooks.push.bucket import bring_journal
from propsync.runbooks.push.hidden import refuse_hidden
from propsync.runs import time_of
from propsync.settings import Settings, is_same_service
from propsync.storage import LocalStorage
from propsync.suppression import Suppression
from propsync.warehouse import PublishedReader, statement, text

_PLAN_AGAIN = "Run `propsync push plan` again"
_END_FIRST = "Apply it with --give-up, which sends nothing more, then run `propsync push plan` again"
_MOVED = "Correct the setting. If the service has moved there, run `propsync sync` and plan again"
_NAMED = 5  # rows that a message names


def check_consent(plan: Plan, allow_large: str | None) -> None:
    """Refuses a large plan without consent to it, and consent to another plan. Raises UsageError."""
    if allow_large not in (None, plan.plan_id):
        raise UsageError("--allow-large", f"{allow_large} is not this plan, which is {plan.plan_id}", "Review the plan")
    if allow_large is None and (reasons := plan.why_large()):
        step = f"Review it, then add --allow-large {plan.plan_id}"
        raise UsageError(f"plan {plan.plan_id}", f"the plan is large: {'; '.join(reasons)}", step)


def check_erased(plan: Plan, suppression: Suppression) -> None:
    """Refuses a plan from before an erasure: `ops.writes` would tell of it again. Raises UsageError."""
    if names_erased(plan, suppression):
        raise UsageError(f"plan {plan.plan_id}", "it names what was erased since", _PLAN_AGAIN)


def checked(
    settings: Settings, reader: PublishedReader, plan: Plan, *, gives_up: bool
) -> tuple[list[RecordedWrite], KnownAssets]:
    """The writes of the plan in `ops.writes`, and the assets that stand beside its new ones. Raises UsageError."""
    _check_run(reader, plan)
    _check_api(settings, Published(reader).api, plan)
    refuse_hidden(reader, settings, plan)
    recorded = _recorded(reader, plan)
    is_done = len(recorded_outcomes(plan, recorded)) == len(plan.entries)
    if not is_done:
        bring_journal(settings, plan.plan_id)
    has_begun = bool(recorded) or LocalStorage(settings.home).exists(journal_key(plan.plan_id))
    if gives_up and not has_begun:
        raise _not_begun(plan)
    if not gives_up and not is_done:
        _check_names(Published(reader), plan, has_begun=has_begun)
    if not has_begun:
        _check_new(Published(reader), plan)
    return recorded, _known_assets(reader, plan)


def _check_run(reader: PublishedReader, plan: Plan) -> None:
    """Refuses a plan that was compared with the tables of another home, which may follow another API."""
    _, rows = reader.rows(statement("push/is_known_run", run_id=text(plan.published_run)))
    if not rows[0][0]:
        what = f"it was compared with run {plan.published_run}, which this home does not have"
        raise UsageError(f"plan {plan.plan_id}", what, _PLAN_AGAIN)


def _check_api(settings: Settings, known: str | None, plan: Plan) -> None:
    """Refuses a plan for another API, such as a copy of the service in which ids and values are the same."""
    planned, address = plan.api or known, settings.require_api().base_url
    if planned and not is_same_service(planned, address):
        what = f"it is for the API {planned}, and PROPSYNC_BASE_URL is {address}"
        raise UsageError(f"plan {plan.plan_id}", what, _MOVED)


def _not_begun(plan: Plan) -> UsageError:
    return UsageError(f"plan {plan.plan_id}", "no apply of it has begun", "Leave it, or apply it without --give-up")


def _check_names(published: Published, plan: Plan, *, has_begun: bool) -> None:
    """Refuses a plan that a person has reviewed by names which mean something else since, such as those of options."""
    if places := renamed_since(published, plan):
        what = f"since it was made, names in it have changed: {first_of(places)}"
        raise UsageError(f"plan {plan.plan_id}", what, _END_FIRST if has_begun else _PLAN_AGAIN)


def _check_new(published: Published, plan: Plan) -> None:
    """Refuses a plan with a new asset that another plan of this file created after it was made: it would double it."""
    before = CreatedBefore(published, plan.file, after=plan.published_run)
    new = [one for one in plan.entries if plan.resource == ASSETS.name and one.action == CREATE]
    again = [str(one.row) for one in new if before.take(one.property_id, one.type_id, one.changes)]
    if again:
        named = f"{', '.join(again[:_NAMED])}{' and more' if len(again) > _NAMED else ''}"
        what = f"after it was made, another plan of {plan.file} created {len(again):,} of its new assets (rows {named})"
        raise UsageError(f"plan {plan.plan_id}", what, _PLAN_AGAIN)


def _recorded(reader: PublishedReader, plan: Plan) -> list[RecordedWrite]:
    """The writes of the plan that the published file has."""
    _, rows = reader.rows(statement("push/writes_of_plan", plan_id=text(plan.plan_id)))
    return [RecordedWrite(*row) for row in rows]


def _known_assets(reader: PublishedReader, plan: Plan) -> KnownAssets:
    new = [one for one in plan.entries if plan.resource == ASSETS.name and one.action == CREATE]
    if not new:
        return KnownAssets()
    types, properties = {one.type_id for one in new}, {one.property_id for one in new}
    published, at = Published(reader), time_of(plan.published_run)
    planned = published.assets_known_at(at, types, properties)
    _, rows = reader.rows(statement("push/created_by_others", plan_id=text(plan.plan_id)))
    since: dict[Pair, set[str]] = {}
    for asset_id, property_id, type_id in published.assets_seen_since(at, types, properties):
        since.setdefault((property_id, type_id), set()).add(asset_id)
    return KnownAssets(planned, {asset_id for (asset_id,) in rows}, since)
