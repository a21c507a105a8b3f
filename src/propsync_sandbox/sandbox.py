"""The sandbox as one object to start and stop: `with Sandbox(scale=200) as sandbox: ...`."""

import hashlib
import ssl
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from types import TracebackType
from typing import Any, Self

from .app import App
from .callers import Callers
from .control import Control
from .exchange import Request
from .faults import FaultPlan
from .hints import HintPlan, Hints
from .journal import Journal
from .lists import LIMIT
from .night import live_through_a_night
from .order import Order
from .server import HOST, Server
from .world import TODAY, World


class Sandbox:
    """The API of the API's document on a loopback port, in daemon threads.

    `rights` maps a token (of `sandbox.token` or any other) to the path prefixes that the API refuses it with 403. `*`
    in a prefix is one path segment. The sandbox accepts every token in it. `normalise` makes it keep other values than
    it receives (see `tidying`). A list shows at most `page` records at once. It calls `before` ahead of each answer,
    under the world's lock: changes in it happen between that request and the one before.
    """

    def __init__(
        self,
        *,
        scale: int = 2000,
        seed: int = 7,
        today: date = TODAY,
        world: World | None = None,
        port: int = 0,
        token: str | None = None,
        rights: Mapping[str, Sequence[str]] | None = None,
        order: str = "stable",
        faults: Sequence[Mapping[str, Any]] = (),
        journal: bool = True,
        gzip: bool = True,
        accept_ranges: bool = False,
        etags: str = "strong",
        signed_links: bool = False,
        tls: ssl.SSLContext | None = None,
        properties: bool = False,
        normalise: bool = False,
        page: int = LIMIT,
        before: Callable[[Request], None] | None = None,
        hints: HintPlan | None = None,
    ) -> None:
        self.world = world or World(seed, scale, today, properties=properties)
        self.token = token or _token_of(self.world.seed)
        self.callers = Callers({self.token: ()} | dict(rights or {}))
        self.journal = Journal(journal)
        self.hints = Hints(hints) if hints else None
        self._control = Control(self.world, self.journal, FaultPlan(faults), self.hints)
        app = App(
            self.world,
            self.callers,
            self.journal,
            order=Order(order, seed),
            signed_links=signed_links,
            accept_ranges=accept_ranges,
            etags=etags,
            normalise=normalise,
            page=page,
            before=before,
        )
        self.lists = app.lists
        if self.hints is not None:
            self.lists.lag = self.hints.plan.lag
            self.world.changes.listener = self.hints.take
        self._server = Server(app, self._control, port=port, packing=gzip, tls=tls)

    @property
    def base_url(self) -> str:
        scheme = "http" if self._server.tls is None else "https"
        return f"{scheme}://{HOST}:{self._server.port}"

    @property
    def most_at_once(self) -> int:
        """The most requests that were under way at one moment so far."""
        return self._server.crowd.most

    def start(self) -> Self:
        self._server.start()
        if self.hints is not None:
            self.hints.start()
        return self

    def stop(self) -> None:
        if self.hints is not None:
            self.world.changes.listener = None
            self.hints.stop()
        self._server.stop()

    def set_faults(self, faults: Sequence[Mapping[str, Any]]) -> None:
        """Replaces the fault plan, from the next request on; FaultPlanError if it is wrong."""
        self._control.faults = FaultPlan(faults)

    def night(self, seed: int | None = None) -> dict[str, int]:
        return live_through_a_night(self.world, seed)

    def change_token(self, token: str) -> None:
        """Accepts only the new token in place of the old one from now on."""
        self.callers.revoke(self.token)
        self.callers.accept(token)
        self.token = token

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


def _token_of(seed: int) -> str:
    """A token of its own for each seed, the same every time: it guards made-up records only."""
    return "sandbox-" + hashlib.sha256(f"token {seed}".encode()).hexdigest()[:24]
