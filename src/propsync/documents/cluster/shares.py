"""The concurrency that all workers learn together, handed out batch by batch."""

from __future__ import annotations

from propsync.documents.cluster.order import Share

_FIRST = 2  # as with threads


class Shares:
    """Hands out parts of at most `maximum` requests at once; those out never exceed it together.

    `learnt` starts at 2. A good batch raises it to what it reached, scaled to all. A crowded one halves it, once for
    all the batches that were out at that moment.
    """

    def __init__(self, maximum: int) -> None:
        self._maximum = maximum
        self.learnt = min(_FIRST, maximum)
        self._out: dict[int, Share] = {}
        self._tickets = 0
        self._halved_at = 0

    def hand_out(self, workers: int) -> Share | None:
        """A share for one more batch, with that many workers; None while a batch must come back first."""
        idle = min(workers, self._maximum) - len(self._out)
        if idle < 1 or len(self._out) >= self.learnt:
            return None
        most = (self._maximum - sum(share.most for share in self._out.values())) // idle
        if most < 1:
            return None
        self._tickets += 1
        share = Share(max(1, min(most, self.learnt * most // self._maximum)), most, self._tickets)
        self._out[share.ticket] = share
        return share

    def take_back(self, share: Share, learnt: int, *, is_crowded: bool) -> None:
        """Learns from a batch that came back."""
        del self._out[share.ticket]
        if not is_crowded:
            self.learnt = max(self.learnt, min(self._maximum, learnt * self._maximum // share.most))
        elif share.ticket > self._halved_at:
            self.learnt = max(1, self.learnt // 2)
            self._halved_at = self._tickets
