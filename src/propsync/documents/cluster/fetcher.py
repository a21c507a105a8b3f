"""Fetches documents as batches of a cluster; for an archive run it is like the fetcher with threads."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from msgspec import structs

from propsync.api import Traffic
from propsync.documents.budget import Budget
from propsync.documents.cluster.order import BatchResult, Order
from propsync.documents.cluster.shares import Shares
from propsync.documents.fetch_log import Fetched
from propsync.documents.fetcher import parted
from propsync.documents.held import HeldContents
from propsync.documents.ledger import WantedDocument
from propsync.documents.rights import Rights
from propsync.errors import PropsyncError

if TYPE_CHECKING:
    from propsync.documents.cluster.dask import Cluster

_LEAST, _MOST = 50, 200  # documents of a batch: fewer cost more than they carry, more are lost with a worker
_ROUNDS = 8  # batches that each worker gets of a chunk, so that none waits long for the last
_LONGEST_CHUNK = 20_000


class ClusterFetcher:
    """Fetches through the workers of `cluster`, at most `maximum` documents at once in all, within `budget`.

    `traffic` counts what the workers sent and received, as if this process had.
    """

    def __init__(self, cluster: Cluster, maximum: int, budget: Budget, traffic: Traffic) -> None:
        self._cluster, self._shares, self._budget, self._traffic = cluster, Shares(maximum), budget, traffic
        self._waiting: deque[WantedDocument] = deque()
        self._out = 0
        self._failure: PropsyncError | None = None
        self._rights = Rights()
        self.forbidden = self._rights.forbidden
        """Kinds that the API refuses for this run, with the error; the fetcher requests no more of them."""
        self.contents = HeldContents()
        """The contents of fetched documents, by hash."""
        self.chunk: int | None = min(_LONGEST_CHUNK, max(1, cluster.workers) * _ROUNDS * _MOST)
        """How many documents one call of `fetch` should get."""

    def fetch(self, wanted: Sequence[WantedDocument], note: Callable[[Fetched], object]) -> Iterator[Fetched]:
        """Each result as its batch comes back, good or not; fewer if the budget ends.

        Passes each to `note`. Raises StopRun and ApiUnreachable after all batches under way have come back.
        """
        began = datetime.now(UTC)
        by_request, unusable = parted(wanted)
        for taken in unusable:
            note(taken)
            yield taken
        self._waiting, self._failure = deque(by_request.values()), None
        size = self._size(len(self._waiting))
        while self._send(size):
            order, result = self._cluster.next()
            self._take_back(order, result)
            for taken in result.taken:
                timed = _by_our_clock(taken, began)
                note(timed)
                yield timed
        if self._failure is not None:
            raise self._failure

    def _size(self, count: int) -> int:
        return min(_MOST, max(_LEAST, -(-count // (max(1, self._cluster.workers) * _ROUNDS))))

    def _send(self, size: int) -> bool:
        """Sends as many batches as the workers may fetch now; whether any is under way."""
        workers = self._cluster.workers if self._waiting else 0
        while self._failure is None and self._budget.reason() is None and (batch := self._batch(size)):
            share = self._shares.hand_out(workers)
            if share is None:
                self._waiting.extendleft(reversed(batch))
                break
            part = 1 / max(1, workers)
            order = Order(batch, share, self._budget.bytes_left * part, self._budget.seconds_left)
            self._cluster.send(order)
            self._out += 1
        return self._out > 0 or (bool(self._waiting) and self._is_open())

    def _is_open(self) -> bool:
        return self._failure is None and self._budget.reason() is None

    def _batch(self, size: int) -> tuple[WantedDocument, ...]:
        batch: list[WantedDocument] = []
        while self._waiting and len(batch) < size:
            one = self._waiting.popleft()
            if one.kind not in self.forbidden:
                batch.append(one)
        return tuple(batch)

    def _take_back(self, order: Order, result: BatchResult) -> None:
        """Learns from a batch, and puts back what its worker did not request."""
        self._out -= 1
        self._shares.take_back(order.share, result.learnt, is_crowded=result.is_crowded)
        self._traffic.count(
            requests=result.traffic.requests, retries=result.traffic.retries, bytes=result.traffic.bytes
        )
        self._learn_rights(result)
        for sha256, content in result.contents.items():
            self.contents.hold(sha256, content)
        for _ in result.taken:
            self._budget.ask()
        if result.failure is not None:
            self._failure = self._failure or result.failure.error()
            return
        if result.ended and not result.taken:
            self._budget.end(result.ended, lacks_room=result.lacks_room)
        came = {(one.assessment_id, one.kind) for one in result.taken}
        self._waiting.extendleft(one for one in reversed(order.wanted) if (one.assessment_id, one.kind) not in came)

    def _learn_rights(self, result: BatchResult) -> None:
        for taken in result.taken:
            if taken.outcome == "stored":
                self._rights.came(taken.kind)
        for kind, why in result.forbidden.items():
            note = self._rights.spent if kind in result.of_quotas else self._rights.refused
            note(kind, why)


def _by_our_clock(taken: Fetched, began: datetime) -> Fetched:
    """A result with a time of this run: a wrong clock of a worker would make it look long past, or still to come."""
    now = datetime.now(UTC)
    if began <= datetime.fromisoformat(taken.asked_at) <= now:
        return taken
    return structs.replace(taken, asked_at=now.isoformat())
