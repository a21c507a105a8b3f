"""A home that follows a sandbox and hears hints."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from kit.kept import KeptHomes
from kit.sandbox_home import SandboxHome

from propsync.runbooks import Report, read_hints
from propsync.storage import LocalStorage
from propsync.webhook.inbox import Inbox, Post
from propsync_sandbox import Sandbox

SCALE = 60
START = datetime(2027, 1, 4, 9, tzinfo=UTC)
"""When the hints of tests come: later than the clock of any machine, so that runs sort after the first sync."""


class HintHome(SandboxHome):
    """Its clock is `now`: hints come and runs begin at that time."""

    now = START

    @property
    def inbox(self) -> Inbox:
        """The accepted posts."""
        return Inbox(LocalStorage(self.path))

    def hint(self, *items: Any) -> None:
        """One accepted post with these items."""
        self.post(json.dumps(items).encode())

    def post(self, *bodies: bytes) -> None:
        """Accepted posts, in one group."""
        self.inbox.add([Post(self.now, body) for body in bodies])

    def read(self, *, call: Callable[..., Any] | None = None, **given: object) -> Report:
        """Reads what hints name."""
        return read_hints(self.settings(**given), call=call or self.call, policy=self.policy, now=self.now)

    def wait(self, **span: float) -> None:
        """Lets time pass."""
        self.now += timedelta(**span)

    def nightly(self, **given: Any) -> Report:
        """A nightly run at the home's time."""
        return self.sync(now=self.now, **given)

    def hints(self, columns: str = "type, record_id, state") -> list[tuple[Any, ...]]:
        """The rows of ops.hints."""
        return self.rows(f"select {columns} from ops.hints order by hint_id")

    def states(self) -> list[str]:
        """The states of hints, in order."""
        return [row[0] for row in self.hints("state")]

    def requests(self) -> list[str]:
        """Method and path of the requests since the last call."""
        found = [f"{one.path}?{one.query}" for one in self.sandbox.journal]
        self.sandbox.journal.clear()
        return found


def property_hint(property_id: str, **more: Any) -> Mapping[str, Any]:
    """An item of the service about a property."""
    return {"type": "property", "id": property_id, **more}


def assessment_hint(assessment_id: str) -> Mapping[str, Any]:
    """An item about an assessment."""
    return {"type": "assessment", "id": assessment_id}


def schedule_hint(key: Sequence[str]) -> Mapping[str, Any]:
    """An item about a schedule."""
    return {"type": "assessmentschedule", "id": "any", "propertyId": key[0], "typeId": key[1]}


@contextmanager
def hint_home(kept: KeptHomes, path: Path, **options: Any) -> Iterator[HintHome]:
    """A small sandbox, and a home after its first sync; a session syncs it once."""
    with Sandbox(scale=SCALE, seed=17) as sandbox:
        made = HintHome(sandbox, path, **options)
        kept.copied(("hints", SCALE), made.path, lambda _: made.sync())
        sandbox.journal.clear()
        yield made
