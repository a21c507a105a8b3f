"""Turns an error of the API, or a difference, into the outcome of one record; its messages hold no value."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from msgspec.structs import replace

from propsync.api import Sent, WriteErrorCode, is_redirect
from propsync.errors import (
    AccessForbidden,
    InvalidValue,
    PropsyncError,
    RequestRefused,
    ResourceFailed,
    UnexpectedAnswer,
    UsageError,
    WriteForbidden,
    WriteUnsupported,
)
from propsync.push.journals.journal import now
from propsync.push.outcome import (
    ALREADY,
    APPLIED,
    CHANGED,
    EXISTS,
    FAILED,
    GIVEN_UP,
    GONE,
    MADE_TWICE,
    OTHERS_CHANGED,
    PARKED,
    SKIPPED,
    UNSURE,
    Outcome,
)
from propsync.push.plan import Entry
from propsync.push.sending.evidence import changed_labels, is_accepted
from propsync.push.values.sameness import is_stored

_NOT_SENT = "so propsync sent nothing"
_NOT_DONE = "while the API was busy, so propsync did not send it again"
_PLAN_AGAIN = "Run `propsync sync`, then plan again"
_SHORTEN = "The values may be too long: shorten them, then plan again"
_AGAIN = "Run the same command again"
_CORRECT = "Correct the row, then plan again"
_REFUSED = "Plan again. If the API refuses it again, report this line"

_TOO_LARGE = 413
_UNSUPPORTED = (405, 501)  # the API does not know the method


def applied(asset_id: str | None = None, before: Mapping[str, Any] | None = None) -> Outcome:
    """The API has it."""
    return Outcome(APPLIED, at=now(), asset_id=asset_id, before=dict(before) if before is not None else None)


def there_already(sent: Sent, before: Mapping[str, Any] | None = None) -> Outcome:
    """The record is as the plan wants it. It is propsync's own write if an attempt reached the API before."""
    if sent:
        return applied(before=before)
    return Outcome(APPLIED, ALREADY, "it was so already, and propsync changed nothing")


def gone(sent: Sent) -> Outcome:
    """Nothing has the record's key."""
    return _away("the API no longer has this record", sent)


def moved(sent: Sent) -> Outcome:
    """The asset is elsewhere."""
    return _away("the asset is no longer on that property", sent)


def _away(what: str, sent: Sent) -> Outcome:
    if sent is Sent.MAYBE:
        what = f"propsync sent this record and cannot tell what the API did; {what}"
        return Outcome(PARKED, GONE, what, "Run `propsync sync`, then compare the record with the plan")
    return Outcome(SKIPPED, GONE, f"{what}, {_NOT_DONE if sent else _NOT_SENT}", _PLAN_AGAIN)


def retyped() -> Outcome:
    """The asset has other fields now, or another asset has its id."""
    return Outcome(SKIPPED, CHANGED, f"the asset is no longer of that type, {_NOT_SENT}", _PLAN_AGAIN)


def exists() -> Outcome:
    """Somebody made a schedule meanwhile."""
    return Outcome(SKIPPED, EXISTS, f"somebody has made this schedule meanwhile, {_NOT_SENT}", _PLAN_AGAIN)


def unshown(names: Collection[str], sent: Sent) -> Outcome:
    """The tables show members that the API does not show now: somebody removed them, or only its lists show them."""
    what = f"the API no longer shows {', '.join(names)}, which a write could remove"
    if sent is Sent.MAYBE:
        return unsure(f"propsync sent this record and cannot tell what the API did; {what}", "Compare it with the plan")
    return Outcome(SKIPPED, CHANGED, f"{what}, {_NOT_DONE if sent else _NOT_SENT}", _PLAN_AGAIN)


def made(asset_id: str) -> Outcome:
    """Somebody made such an asset meanwhile, which may be this one."""
    what = f"asset {asset_id} has these values, perhaps in another form, and was made since the plan, {_NOT_SENT}"
    return Outcome(SKIPPED, EXISTS, what, _PLAN_AGAIN)


def made_twice(outcome: Outcome, asset_ids: Collection[str]) -> Outcome:
    """The API has the new asset, and the same values in others that are newer than the plan."""
    named = ", ".join(sorted(asset_ids))
    what = f"the API also has {named} with these values, newer than the plan, and may have made the asset twice"
    step = "Compare them: the API cannot delete an asset"
    return replace(outcome, state=APPLIED, code=MADE_TWICE, reason=what, step=step)


def others_changed(outcome: Outcome, labels: Collection[str]) -> Outcome:
    """The API has the planned values, and others of the record are gone or differ."""
    what = f"it is written, and {', '.join(sorted(labels))} changed at the same time, which the plan does not name"
    return replace(outcome, code=OTHERS_CHANGED, reason=what, step="Check whether the API did that, or somebody")


def unsure(reason: str, step: str, asset_id: str | None = None) -> Outcome:
    """A person must look, at that asset if there is one."""
    return Outcome(PARKED, UNSURE, reason, step, asset_id=asset_id)


def given_up(*, was_sent: bool) -> Outcome:
    """A person gave the plan up before it had an outcome; a record that `was_sent` is as before."""
    what = "and the API shows nothing of what propsync sent" if was_sent else _NOT_SENT
    return Outcome(SKIPPED, GIVEN_UP, f"the plan was given up, {what}", _PLAN_AGAIN)


def given_up_unseen() -> Outcome:
    """A person gave the plan up, and propsync cannot look at a record that it has sent."""
    what = "the plan was given up, and propsync cannot tell what the API did with this record"
    return unsure(what, "Compare it with the plan")


def compared(entry: Entry, now_there: Mapping[str, Any], sent: Sent) -> Outcome | None:
    """The outcome of an entry whose record is not as the plan knows it; None if propsync may send it.

    A record that has every new value already counts as applied. `sent` is what earlier attempts may have done.
    """
    is_planned = all(is_stored(one.new, now_there.get(one.field), one.kind) for one in entry.changes)
    if entry.changes and is_planned and changed_labels(entry, now_there):
        return there_already(sent)
    return changed(entry, now_there, sent)


def changed(entry: Entry, now_there: Mapping[str, Any], sent: Sent) -> Outcome | None:
    """The outcome of an entry whose record no longer has the old values; None if it has them."""
    named = ", ".join(changed_labels(entry, now_there))
    if not named:
        return None
    if sent is Sent.MAYBE:
        what = f"propsync sent this record and cannot tell what the API did; {named} no longer has the old value"
        return unsure(what, "Compare it with the plan")
    return Outcome(SKIPPED, CHANGED, f"{named} changed meanwhile, {_NOT_DONE if sent else _NOT_SENT}", _PLAN_AGAIN)


def failed(error: PropsyncError) -> Outcome:
    """What an error means for the record. Raises WriteForbidden for one that every other record would meet."""
    if isinstance(error, AccessForbidden):
        raise WriteForbidden(error.where, error.what) from error
    if isinstance(error, InvalidValue):
        return Outcome(FAILED, "InvalidValue", f"{error.where} has a value that does not fit it", error.next_step)
    if isinstance(error, UsageError):
        return Outcome(FAILED, "InvalidId", error.what, error.next_step)
    if isinstance(error, RequestRefused):
        return _refused(error)
    if error.says_not_found:
        return Outcome(FAILED, "NotFound", error.what, "Check the ids of the record")
    return Outcome(FAILED, type(error).__name__, error.what, _AGAIN, is_final=False)


def with_answer(outcome: Outcome, error: ResourceFailed) -> Outcome:
    """The outcome after an answer that is no success: a person who must look needs to know what the API said."""
    return replace(outcome, reason=f"{error.what}; {outcome.reason}") if outcome.state == PARKED else outcome


def unseen(error: PropsyncError) -> Outcome:
    """The outcome of a record that propsync has sent, if the API refuses the look at it: the next apply looks again."""
    what = f"propsync has sent this record and cannot look at it, because {error.what}"
    return Outcome(FAILED, type(error).__name__, what, _AGAIN, is_final=False)


def unexplained(error: UnexpectedAnswer) -> Outcome:
    """The outcome after an answer that the document lacks, if the record still has the old values.

    With a status of success, the API may store the new ones later, and the read-back waits for them. Raises
    WriteUnsupported if the API knows no such write, or redirects it.
    """
    if is_accepted(error.status):
        return applied()
    if error.status in _UNSUPPORTED or is_redirect(error.status):
        raise WriteUnsupported(error.where, error.what)
    return failed(RequestRefused(error.where, error.what, status=error.status))


def refused_alone(error: WriteUnsupported) -> Outcome:
    """The outcome of one record for which the API does not know a write that it has accepted for others."""
    return Outcome(FAILED, type(error).__name__, error.what, "The API accepts this write for other records")


def _refused(error: RequestRefused) -> Outcome:
    known = WriteErrorCode.of(error.code)
    if known is not None:
        return Outcome(FAILED, known.value, known.meaning, known.next_step, said=error.said)
    step = _SHORTEN if error.status == _TOO_LARGE else _CORRECT if error.said else _REFUSED
    return Outcome(FAILED, error.code or f"Status{error.status}", error.what, step, said=error.said)
