"""Looks up schedules: their properties' lists first, then one by one."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from propsync.api import why_unaskable
from propsync.errors import ResourceFailed, UsageError
from propsync.records import decode_shallow, text_of
from propsync.sweep.lookups.batches import Batch, Batches, Key
from propsync.sweep.page_reader import Asked, Reading, RefusedPage


class ByProperty:
    """Looks up schedules, which have no id to filter by.

    A list may omit a schedule for its status. So each delete rests on two answers to the schedule's own request: one
    may come from a server that lags behind.
    """

    def __init__(self, asking: Batches) -> None:
        self._asking = asking
        self._answers = asking.answers

    def look_up(self, keys: Sequence[Key]) -> None:
        """Reaches a conclusion about each key."""
        waiting = list(self._asking.batches([key for key in keys if why_unaskable(key[0]) is None]))
        while waiting:
            again: list[Batch] = []
            for batch, answer in self._asking.ask(waiting, self._asking.everything):
                again += self._take_list(batch, answer)
            waiting = again
        for key in keys:  # asks for each schedule alone if the list left it open
            self._answers.unknown.pop(key, None)
        self._one_by_one([key for key in keys if self._answers.is_open(key)])
        self._asking.refuse_if_blind(keys, self._why_not_shown)
        self.confirm([key for key in keys if key in self._answers.gone])

    def confirm(self, once: Sequence[Key]) -> None:
        """Asks once more for schedules that one answer did not show."""
        for key in once:
            del self._answers.gone[key]
        self._one_by_one(once)

    def _take_list(self, batch: Batch, answer: Reading | RefusedPage) -> list[Batch]:
        """Concludes only from the records that a list shows; a smaller list may show more."""
        if isinstance(answer, RefusedPage):
            is_status = not answer.says_not_found and self._asking.forgo_statuses(answer)
            return [batch] if is_status else batch.halves()
        shown = {key for key in self._asking.cutter.keys(answer.page.records) if key}
        if not self._asking.is_whole(answer) or not {key[0] for key in shown} <= set(batch.values):
            return batch.halves()
        self._asking.stage(answer)
        self._answers.found.update(shown.intersection(batch.keys))
        self._asking.is_proved |= bool(shown)
        return []

    def _one_by_one(self, keys: Sequence[Key]) -> None:
        asked: dict[int, tuple[Asked, Key]] = {}
        for key in keys:
            try:
                one = self._asking.reader.ask_one(key)
            except UsageError as error:
                self._answers.unknown[key] = error.what
                continue
            asked[one.sequence] = (one, key)
        for one, answer in self._asking.reader.read_ones([one for one, _ in asked.values()], self._asking.cutter):
            self._take_one(asked[one.sequence][1], answer)

    def _take_one(self, key: Key, answer: Reading | ResourceFailed | None) -> None:
        if answer is None:
            self._answers.gone[key] = "the API has nothing under its key"
        elif isinstance(answer, ResourceFailed):
            if answer.says_not_found:
                self._answers.gone[key] = answer.what
            else:
                self._asking.note_unprovable(key, answer.what)
        elif self._asking.cutter.keys(answer.page.records) != [key]:
            self._asking.note_unprovable(key, "the API showed a different record when asked for it")
        elif _is_bare(answer.page.records[0], key):
            self._answers.gone[key] = "the API shows its key and nothing else"
        else:
            self._asking.stage(answer)
            self._answers.found.add(key)
            self._asking.is_proved = True

    def _why_not_shown(self, key: Key) -> str | None:
        """The answer to look-ups of one schedule if they do not show it; None if its property's list does, or its own
        request.
        """
        one = self._asking.reader.ask_one(key)
        ((_, alone),) = self._asking.reader.read_ones([one], self._asking.cutter)
        listed = [answer for _, answer in self._asking.ask([Batch.of([key])], self._asking.everything)]
        self._answers.unknown.pop(key, None)
        for answer in (alone, *listed):
            shown = set(self._asking.cutter.keys(answer.page.records)) if isinstance(answer, Reading) else ()
            if key in shown and all(other and other[0] == key[0] for other in shown):
                return None
        return (
            f"{one.request}: {alone.what}" if isinstance(alone, ResourceFailed) else f"{one.request} does not show it"
        )


def _is_bare(record: msgspec.Raw, key: Key) -> bool:
    """Whether a record has nothing but its key: some services show such a schedule for each property and type."""
    found = decode_shallow(record)
    return isinstance(found, dict) and all(
        held in (None, "", [], {}) or text_of(held) in key for held in found.values()
    )
