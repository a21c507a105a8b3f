"""Looks up assets and assessments by their ids."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from random import Random

from propsync.api import Api, why_unaskable
from propsync.errors import AccessForbidden
from propsync.sweep.lookups.batches import Batch, Batches, Failing, Key
from propsync.sweep.page_reader import Reading, RefusedPage

_TIMES = 2  # answers that must not show a key before propsync deletes it
_ALONE = 50  # ids that no answer shows: up to this many, propsync asks for each alone, which no server cuts short

_IGNORES = "the API ignores the ids in the request"
_OTHERS = "its look-up shows other records"
_OTHER_CASE = "its look-up ignores letter case, and shows another record"
_CONTRADICT = "its look-ups contradict each other"
_NO_PROOF = (_IGNORES, _OTHERS, _OTHER_CASE, _CONTRADICT)


class ByIds:
    """Looks up by `id=` or `assessment=`, a page of ids at a time, and halves a batch if an answer does not count.

    Some servers heed only the first ids of a long filter. So an id that an answer for several omits is silent, not
    gone. propsync asks for silent ids in batches of their own until an answer shows none of them, and then for each
    alone.

    If no answer shows anything at all, propsync asks for known records too. If it does not show those either, the
    filter finds nothing, and no key is gone by it. A key that one answer alone does not show is asked for again: each
    delete rests on two answers. A refusal of several ids is none.
    """

    def __init__(self, api: Api, asking: Batches) -> None:
        self._api = api
        self._asking = asking
        self._answers = asking.answers
        self._ignored: str | None = None
        self._is_minded = False
        self._failing = Failing()
        self._shown: set[Key] = set()
        self._times = Counter[Key]()
        self._silence = "no look-up shows it, alone or with others"

    def look_up(self, keys: Sequence[Key]) -> None:
        """Reaches a conclusion about each key."""
        for key in keys:
            why = why_unaskable(key[0])
            if why is not None:
                self._answers.unknown[key] = f"propsync cannot ask the API for its id: {why}"
        self._ask(list(self._asking.batches(self._open(keys))))
        self._ask_alone(self._open(keys))
        self._asking.refuse_if_blind(keys, self._why_not_shown)
        self.confirm([key for key in keys if key in self._answers.gone and self._times[key] < _TIMES])
        if self._asking.is_doubtful:
            self._ask_each_list([key for key in keys if key in self._answers.gone])
        if self._asking.resource.performed:
            self._probe_reports([key for key in keys if key in self._answers.gone])

    def _open(self, keys: Sequence[Key]) -> list[Key]:
        return [key for key in keys if self._answers.is_open(key)]

    def confirm(self, once: list[Key]) -> None:
        """Asks again for keys that no answer shows so far: one may come from a server that lags behind."""
        for key in once:
            del self._answers.gone[key]
        self._ask_alone(once)

    def _why_not_shown(self, key: Key) -> str | None:
        """The answer to a look-up of one key if it does not show this record alone; else None.

        If several lists at once may show less than each by itself, propsync asks each too.
        """
        for _, answer in self._asking.ask([Batch.of([key])], self._asking.everything):
            if isinstance(answer, RefusedPage):
                return f"{answer.asked.request}: {answer.error.what}"
            is_it = set(self._asking.cutter.keys(answer.page.records)) == {key}
            is_shown = is_it or (self._asking.is_doubtful and self._is_on_a_list(key))
            return None if is_shown else f"{answer.landed.request} does not show it"
        return self._answers.unknown.pop(key)

    def _is_on_a_list(self, key: Key) -> bool:
        readings = self._memberships(Batch.of([key])) or []
        self._answers.unknown.pop(key, None)
        return any(key in self._asking.cutter.keys(one.page.records) for one in readings)

    def _ask(self, waiting: list[Batch]) -> None:
        """Asks until the only keys left are those that no answer shows."""
        while waiting and self._ignored is None:
            # one key alone goes first: it shows whether the API refuses the filter at all
            now = waiting[:1] if len(waiting[0].keys) == 1 and not self._is_minded else waiting
            waiting = [*self._round(now), *waiting[len(now) :]]
        for batch in waiting:
            self._note_foreign(batch, str(self._ignored))
        self._answers.failure = self._answers.failure or self._ignored or ""

    def _note_foreign(self, batch: Batch, why: str) -> None:
        """Notes keys that no look-up can show to be gone, unless one of the answers shows them."""
        self._asking.note_unknown(batch, why)
        if why in _NO_PROOF:
            self._asking.foreign.update({*batch.keys} - self._shown)

    def _ask_alone(self, silent: list[Key]) -> None:
        """Asks for each key alone if they are few, else for a random few: if the API has any of those, for each."""
        some = silent
        if len(silent) > _ALONE:
            some = Random(f"{silent[0]} {len(silent)}").sample(silent, _ALONE)  # noqa: S311 - keeps nothing secret
        self._ask([Batch.of([key]) for key in some])
        left = self._open(silent)
        if self._answers.gone.keys() >= set(some):
            self._answers.gone.update(dict.fromkeys(left, self._silence))
            self._times.update(left)  # the answers to the random few speak for them
        else:
            self._ask([Batch.of([key]) for key in left])

    def _ask_each_list(self, gone: list[Key]) -> None:
        """Asks each list for keys that one request for all lists omits: the API may heed only one."""
        for batch in self._asking.batches(gone):
            readings = self._memberships(batch) or []
            for reading in readings:
                self._asking.stage(reading)
                self._answers.found.update(self._shown_and_silent(batch, reading)[0])
            for key in batch.keys:
                if key in self._answers.found or key in self._answers.unknown:
                    del self._answers.gone[key]

    def _round(self, batches: Sequence[Batch]) -> list[Batch]:
        """Asks once for each batch; batches without a conclusion come back smaller, the smallest first."""
        again: list[Batch] = []
        for batch, answer in self._asking.ask(batches, self._asking.everything, self._failing):
            if isinstance(answer, RefusedPage):
                again += self._after_refusal(batch, answer)
            elif self._counts(answer, batch):
                self._is_minded = True
                again += self._conclude(batch, answer)
            else:
                again += self._smaller(batch, answer)
        return sorted(again, key=lambda batch: len(batch.keys))

    def _counts(self, answer: Reading, batch: Batch) -> bool:
        """Whether the answer holds everything requested, and no more; an empty answer is evidence about one key
        only.
        """
        is_only_it = set(self._asking.cutter.keys(answer.page.records)) <= set(batch.keys)
        is_nothing = answer.page.total is None and not answer.page.records
        return is_only_it and (self._asking.is_whole(answer) or (is_nothing and len(batch.keys) == 1))

    def _after_refusal(self, batch: Batch, answer: RefusedPage) -> list[Batch]:
        """Handles a refusal: "not found" for several ids is no evidence about any one of them."""
        if not answer.says_not_found and self._asking.forgo_statuses(answer):
            return [batch]  # the API may refuse a status that no sweep used
        if len(batch.keys) > 1:
            return batch.halves()
        if answer.says_not_found:
            self._times.update(batch.keys)
            self._answers.gone[batch.keys[0]] = answer.error.what
        else:
            self._asking.note_unprovable(batch.keys[0], f"its look-up was refused: {answer.error.what}")
        return []

    def _smaller(self, batch: Batch, answer: Reading) -> list[Batch]:
        shown = {*self._asking.cutter.keys(answer.page.records)}
        self._shown.update(filter(None, shown))
        is_foreign = not shown <= set(batch.keys)
        if len(batch.keys) == 1:
            if not is_foreign:
                self._note_foreign(batch, _CONTRADICT)
                return []
            why = self._why_foreign(batch, answer)
            # if it heeds other ids, they are still asked for
            self._ignored = None if why in (_OTHERS, _OTHER_CASE) else why
            self._note_foreign(batch, why)
            return []
        return [Batch.of(batch.keys[:1]), Batch.of(batch.keys[1:])] if is_foreign else batch.halves()

    def _why_foreign(self, batch: Batch, answer: Reading) -> str:
        """The reason why an answer has records other than those requested."""
        shown = [key for key in self._asking.cutter.keys(answer.page.records) if key]
        if shown:
            if {key[0].casefold() for key in shown} == {batch.keys[0][0].casefold()}:
                return _OTHER_CASE
            return _OTHERS if self._is_minded else _IGNORES
        member = " or ".join(map(".".join, self._asking.cutter.key_paths[0]))
        return (
            f"the records in the answer have no id under {member}; if the API renamed it, name it in propsync.toml: "
            f"[shapes.{self._asking.resource.name}] id = '…'"
        )

    def _conclude(self, batch: Batch, answer: Reading) -> list[Batch]:
        """Stages an answer; returns the keys that it omits, unless it is empty."""
        shown, silent = self._shown_and_silent(batch, answer)
        self._times.update(silent)
        if len(batch.keys) == 1 and silent:
            self._answers.gone[silent[0]] = f"{answer.landed.request} does not show it"
        memberships = self._memberships(Batch.of(shown)) if shown else []
        if memberships and (unlisted := self._unlisted(shown, memberships)):
            return self._apart(batch, unlisted)
        if memberships is not None:
            for reading in (answer, *memberships):
                self._asking.stage(reading)
            self._answers.found.update(shown)
        self._asking.is_proved |= bool(shown)
        return [Batch.of(silent)] if shown and silent else []

    def _shown_and_silent(self, batch: Batch, answer: Reading) -> tuple[list[Key], list[Key]]:
        """The keys that an answer shows, and those of the batch that it omits."""
        shown = sorted(key for key in self._asking.cutter.keys(answer.page.records) if key)
        return shown, sorted(set(batch.keys).difference(shown))

    def _memberships(self, batch: Batch) -> list[Reading] | None:
        """The lists that show the records found, each asked the same way; None if they give no facts."""
        readings: list[Reading] = []
        for place in range(len(self._asking.memberships(batch.values))):
            silent = list(batch.keys)
            while silent:
                on_list = self._on_list(Batch.of(silent), place)
                if on_list is None:
                    self._asking.note_unknown(batch, "propsync could not look up which lists show it")
                    return None
                readings += on_list
                shown = {key for one in on_list for key in self._asking.cutter.keys(one.page.records)}
                silent = [key for key in silent if key not in shown] if shown else []
        return readings

    def _unlisted(self, shown: Sequence[Key], memberships: Sequence[Reading]) -> list[Key]:
        """The records that one request for all lists shows, and no list by itself: one of the answers is wrong."""
        listed = {key for reading in memberships for key in self._asking.cutter.keys(reading.page.records)}
        return [key for key in shown if key not in listed]

    def _apart(self, batch: Batch, unlisted: Sequence[Key]) -> list[Batch]:
        """Smaller batches, so that unlisted records affect no others; one alone stays as it was."""
        if len(batch.keys) == 1:
            self._asking.note_unknown(batch, "its look-up shows it, but none of the lists that it may be on does")
            return []
        others = [key for key in batch.keys if key not in unlisted]
        return [Batch.of(unlisted), Batch.of(others)] if others else batch.halves()

    def _on_list(self, batch: Batch, place: int) -> list[Reading] | None:
        """One list's answer for a batch; "not found" for several is no evidence about any one of them."""
        for _, answer in self._asking.ask([batch], lambda values: self._asking.memberships(values)[place]):
            if isinstance(answer, Reading):
                if self._counts(answer, batch):
                    return [answer]
                is_nothing = answer.page.total is None and not answer.page.records
                return self._on_halves(batch, place) if is_nothing else None
            return self._on_halves(batch, place) if answer.says_not_found else None
        return None

    def _on_halves(self, batch: Batch, place: int) -> list[Reading] | None:
        readings: list[Reading] = []
        for half in batch.halves():
            on_list = self._on_list(half, place)
            if on_list is None:
                return None
            readings += on_list
        return readings

    def _probe_reports(self, keys: Collection[Key]) -> None:
        """Probes the report of an assessment that no list shows: if it exists, the assessment has a status that
        nobody knows. Equal failures have one reason, although each waited for its own time.
        """
        failures: dict[tuple[type, int | None], str] = {}
        for assessment_id, error in self._api.documents.probe_reports([key[0] for key in keys]):
            key = (assessment_id,)
            if error is None:
                del self._answers.gone[key]
                self._answers.hidden[key] = "no list shows it, but its report exists"
            elif not error.says_not_found and not isinstance(error, AccessForbidden):
                del self._answers.gone[key]
                why = failures.setdefault((type(error), error.status), error.what)
                self._asking.note_unprovable(key, f"propsync does not know whether its report exists: {why}")
