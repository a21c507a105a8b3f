"""Decides about records that a run did not see: gone, hidden, or held (docs/completeness.md)."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from propsync.errors import UnexpectedAnswer, UsageError
from propsync.landing import LookedUp, Manifest
from propsync.merge import UnseenRecords, is_too_many, sample, some_known, to_hold
from propsync.resources import COMBINED, Resource
from propsync.runbooks.left_out import left_out_before
from propsync.runbooks.workspace import Workspace
from propsync.runs import Verdict, is_run_id
from propsync.sweep import Filters, Key, LookUps, Swept

_log = logging.getLogger("propsync.sync")
_MANY = (
    ", so they may leave out new ones too. If the service only shows deleted records so, run once with a higher "
    "PROPSYNC_DELETE_LIMIT"
)
_LOST = (
    ", so the token may have lost a right. They keep both lists. If the API is right, run once with a higher "
    "PROPSYNC_DELETE_LIMIT"
)
_IGNORED = "Ask the people who run the API. If it is right, run once with a higher PROPSYNC_DELETE_LIMIT"
_OTHERS = "the lists show none of the known records, but others: check whose PROPSYNC_TOKEN this is before you accept"
_LETTERS = "the lists show the ids of known records in other letters: ask the people who run the API before you accept"
_SHOWN = 1_000  # listed keys to compare with the missing ones
_FEW = ", so these stay in the tables"


@dataclass(frozen=True)
class Accepted:
    """A run whose held deletes somebody accepted, and its held records, by resource."""

    run_id: str
    keys: dict[str, list[Key]]


def accepted_run(workspace: Workspace, run_id: str) -> Accepted:
    """A run's held records. Raises UsageError if it held none."""
    keys: dict[str, list[Key]] = {resource.name: [] for resource in workspace.catalogue.families}
    for resource in workspace.catalogue.families if is_run_id(run_id) else ():
        manifest = workspace.manifests.sound(resource.name, run_id)
        noted = manifest.keys("held") if manifest else []
        keys[resource.name] = sorted({*noted, *workspace.journal.held_keys(run_id, resource.name)})
    if not any(keys.values()):
        step = 'Take the run from `propsync query "select distinct run_id from ops.held_deletes"`'
        raise UsageError("--accept-deletes", f"run {run_id} held no deletes", step)
    return Accepted(run_id, keys)


def held_in_part(
    workspace: Workspace, resource: Resource, gone: Collection[Key], missing: UnseenRecords
) -> dict[Key, str]:
    """The gone records that a read of a part holds, each with the reason: among them all that an earlier run held.

    Many small reads would delete those bit by bit. Deletes of all parts since the last night count together.
    """
    why = workspace.journal.why_held(resource.name)
    before = {key: why[key] for key in gone if key in why}
    earlier = workspace.journal.deleted_in_parts(resource.name)
    fresh = [key for key in gone if key not in before]
    return to_hold(fresh, missing, workspace.settings.delete_limit, earlier) | before


class Deletes:
    """The decisions about one resource's unseen records in one run; `is_part` says that it read only a part of them.

    Lists of a part may rightly show nothing, so known records test its look-ups then. If those of a whole resource show
    nothing, propsync holds all deletes anyway.
    """

    def __init__(
        self,
        workspace: Workspace,
        resource: Resource,
        swept: Swept,
        statuses: Sequence[str],
        every_status: Sequence[str],
        *,
        is_part: bool,
    ) -> None:
        self._workspace = workspace
        self._resource = resource
        self._swept = swept
        self._statuses = statuses
        known = partial(some_known, workspace.warehouse, resource) if is_part else _none
        self._look_ups = LookUps(workspace.api, resource, swept, every_status, statuses, known)

    def conclude(self, manifest: Manifest, filters: Filters, accepted: Accepted | None) -> None:
        """Looks up missing records and notes the conclusions in the manifest. Raises ResourceFailed."""
        missing = UnseenRecords(self._workspace.warehouse, self._resource, self._swept.listed, self._statuses, filters)
        if not filters:
            self._refuse_ignored_filter(missing)
        given = missing.still_known(accepted.keys.get(self._resource.name, [])) if accepted else []
        held: dict[Key, str] = {}
        if self._swept.verdict.is_complete:  # a list read in part may still have records that it did not show
            held = self._judge(missing, filters, set(given), manifest.run_id)
            if self._are_too_many_left_out(missing, filters) or (not filters and self._is_a_list_emptied(missing)):
                manifest.verdict = Verdict.INCOMPLETE
                self._look_ups.conclude_nothing()  # an API that hid its records for a while hid them from look-ups too
        answers = self._look_ups.look_up(given)
        if self._swept.verdict.is_complete:
            self._take_word_for(given)
        held |= answers.unknown
        self._note(manifest, held)
        manifest.landed += answers.landed
        manifest.accepted = accepted.run_id if accepted and given else None

    def _take_word_for(self, given: Sequence[Key]) -> None:
        """Deletes accepted keys that no request can ask for by the lists alone: otherwise propsync would hold them
        every night.
        """
        answers = self._look_ups.answers
        for key in given:
            if key in answers.unknown and self._look_ups.is_beyond_asking(key):
                answers.gone[key] = f"no list shows it, and its delete is accepted ({answers.unknown.pop(key)})"

    def _judge(self, missing: UnseenRecords, filters: Filters, given: set[Key], run_id: str) -> dict[Key, str]:
        """Looks up all missing records, or a sample if there are very many; returns the held ones."""
        keys = [key for key in missing.unlisted() if key not in given]
        limit = self._workspace.settings.delete_limit
        are_many, are_all = is_too_many(len(keys), missing.total(), limit), missing.are_all()
        if are_many or are_all:
            answers = self._look_ups.look_up(sample(keys, run_id))
            if answers.hidden and not answers.found:  # whatever the limit: it is about deletes
                why = f"no list shows {len(keys)} of {missing.total()} known records, but reports of some exist"
                return dict.fromkeys(keys, why)
            if are_all and not answers.found and (shown := self._swept.listed.some(_SHOWN)):
                return dict.fromkeys(keys, _OTHERS if _folded(shown).isdisjoint(_folded(keys)) else _LETTERS)
            if are_many and not answers.found:
                why = f"{len(keys)} of {missing.total()} are missing, more than PROPSYNC_DELETE_LIMIT allows"
                return dict.fromkeys(keys, why)
        turn = self._workspace.journal.runs_of(self._resource.name)
        others = [key for key in missing.in_turn(self._workspace.settings.page_limit, turn) if key not in given]
        answers = self._look_ups.look_up([*keys, *others])
        if answers.gone and self._left_out(missing, filters):  # so some answers came from a server that lags behind
            answers = self._look_ups.doubt()
        unshown = answers.hidden.keys() & {*keys}
        held = {}
        if is_too_many(len(unshown), missing.total(), limit):
            why = f"no list shows {len(unshown)} of {missing.total()} known records, but their reports exist"
            held = dict.fromkeys(unshown, why)
        if filters:
            return held_in_part(self._workspace, self._resource, answers.gone, missing) | held
        return to_hold(answers.gone, missing, limit) | held

    def _are_too_many_left_out(self, missing: UnseenRecords, filters: Filters) -> bool:
        """Whether look-ups show more records than a run may delete, although the lists should have shown them, or all.
        New ones may be left out too. Those that the last complete read left out already do not count.
        """
        left_out = self._left_out(missing, filters)
        total, limit = missing.total(), self._workspace.settings.delete_limit
        are_all = missing.are_all() and limit < 1
        new = left_out
        if are_all or is_too_many(len(left_out), total, limit):
            new = left_out - left_out_before(self._workspace, self._resource, self._swept)
        are_many = (are_all and bool(new)) or is_too_many(len(new), total, limit)
        if left_out:
            words = "%s: the lists leave out %d of %d records that look-ups show%s"
            _log.warning(words, self._resource.words, len(left_out), total, _MANY if are_many else _FEW)
        return are_many

    def _left_out(self, missing: UnseenRecords, filters: Filters) -> set[Key]:
        """The records that look-ups show although the lists do not."""
        return self._look_ups.found_on(self._statuses, filters).intersection(missing.unlisted())

    def _is_a_list_emptied(self, missing: UnseenRecords) -> bool:
        """Whether one list of `performed` shows nothing, and more records than a run may delete were on both lists.

        A token that lost the right to one list still shows them on the other.
        """
        shown = {one.list_name.split(" ")[0] for one in self._swept.certificates if one.distinct_keys}
        emptied = [one for one in self._resource.performed if one not in shown]
        if len(emptied) != 1:
            return False
        both, total = missing.on_both_lists(), missing.total()
        if is_lost := is_too_many(both, total, self._workspace.settings.delete_limit):
            words = "%s: performed=%s lists none, though %d of %d known records are on both lists%s"
            _log.warning(words, self._resource.words, emptied[0], both, total, _LOST)
        return is_lost

    def _refuse_ignored_filter(self, missing: UnseenRecords) -> None:
        """Raises UnexpectedAnswer if one list of `performed` shows every record, and many for the first time: more than
        a run may delete.
        """
        certificates = self._swept.certificates
        last = {one.list_name: one.distinct_keys for one in certificates if one.attempt == certificates[-1].attempt}
        for performed in self._resource.performed:
            shown = sum(keys for name, keys in last.items() if name.split(" ")[0] == performed)
            new = missing.new_on_list(performed) if shown and shown == last.get(COMBINED) else 0
            if is_too_many(new, missing.total(), self._workspace.settings.delete_limit):
                what = (
                    f"performed={performed} lists all {shown} {self._resource.words}, also {new} that it did not list "
                    "before, so the API may ignore that filter"
                )
                raise UnexpectedAnswer(f"GET {self._resource.path}", what, _IGNORED)

    def _note(self, manifest: Manifest, held: dict[Key, str]) -> None:
        answers = self._look_ups.answers
        noted = [LookedUp(key, "held", why) for key, why in sorted(held.items())]
        noted += [LookedUp(key, "gone", why) for key, why in sorted(answers.gone.items()) if key not in held]
        noted += [LookedUp(key, "hidden", why) for key, why in sorted(answers.hidden.items()) if key not in held]
        manifest.looked_up = noted


def _none(_: int) -> list[Key]:
    return []


def _folded(keys: Iterable[Key]) -> set[Key]:
    """The keys without regard to capital letters and to blanks around them."""
    return {tuple(part.strip().casefold() for part in key) for key in keys}
