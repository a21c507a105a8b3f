"""Looks up known keys that a complete read no longer lists, before propsync concludes anything about them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from propsync.api import Api, report_request, schedule_request, why_unaskable
from propsync.errors import UsageError
from propsync.resources import Resource
from propsync.sweep.ladder import Swept
from propsync.sweep.lookups.batches import Answers, Batches, Key, Known
from propsync.sweep.lookups.by_ids import ByIds
from propsync.sweep.lookups.by_property import ByProperty
from propsync.sweep.lookups.unaskable import Unaskable
from propsync.sweep.scope import Filters

_MORE = 4  # answers, beside the two for every key: if one of two servers lags behind, it gives all six once in 64 times


class LookUps:
    """Look-ups of one resource, after its sweep. `statuses` are all that propsync may ask for, `fewer` those that it
    swept. `known` gives some known records, where no list shows any.

    propsync stages their records beside those of the sweep, and lands them in the same way.
    """

    def __init__(
        self,
        api: Api,
        resource: Resource,
        swept: Swept,
        statuses: Sequence[str],
        fewer: Sequence[str],
        known: Known = lambda _: [],
    ) -> None:
        self._asking = Batches(resource, swept, statuses, fewer, known)
        self._way = _way(api, self._asking)

    @property
    def answers(self) -> Answers:
        """Their results so far."""
        return self._asking.answers

    def doubt(self) -> Answers:
        """Asks some more times for the keys that no look-up shows: answers may come from a server that lags behind."""
        for _ in range(_MORE):
            self._way.confirm(list(self.answers.gone))
        self._asking.flush()
        return self.answers

    def conclude_nothing(self) -> None:
        """Withdraws the conclusions about keys that no look-up shows."""
        self.answers.gone.clear()
        self.answers.hidden.clear()

    def found_on(self, statuses: Sequence[str], filters: Filters) -> set[Key]:
        """The records found that lists of these statuses and filters should have shown."""
        return self._asking.found_on(statuses, filters)

    def is_beyond_asking(self, key: Key) -> bool:
        """Whether no look-up can show that a key is gone: an id of dots, for example, cannot be part of an address.

        So it is for every key if look-ups show nothing at all, and for those for which the API answers other records or
        an error.
        """
        if key in self._asking.foreign:
            return True
        if self._asking.is_blind and not self._asking.is_proved:
            return True
        resource = self._asking.resource
        try:
            if resource.is_by_pair:
                schedule_request(key[0], key[1])
                return False
            if resource.performed:
                report_request(key[0])
        except UsageError:
            return True
        return resource.id_filter is None or why_unaskable(key[0]) is not None

    def look_up(self, keys: Iterable[Key]) -> Answers:
        """Reaches a conclusion about each key, in as few requests as addresses and pages allow. Raises
        ApiUnreachable.
        """
        self._way.look_up([key for key in keys if self.answers.is_open(key)])
        self._asking.flush()
        return self.answers


def _way(api: Api, asking: Batches) -> ByIds | ByProperty | Unaskable:
    if asking.resource.is_by_pair:
        return ByProperty(asking)
    return ByIds(api, asking) if asking.resource.id_filter else Unaskable(asking)
