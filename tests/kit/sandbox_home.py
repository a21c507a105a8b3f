"""A home that follows a sandbox."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from decimal import Decimal
from functools import partial
from json import loads
from pathlib import Path
from typing import Any

from kit.home import Home
from kit.kept import KeptHomes

from propsync.runbooks import Report, night
from propsync_sandbox import Sandbox


class SandboxHome(Home):
    """A sandbox and a home; `usual` are settings that each command gets."""

    def __init__(self, sandbox: Sandbox, path: Path, **usual: object) -> None:
        super().__init__(path, sandbox.base_url, token=sandbox.token, **usual)
        self.sandbox = sandbox

    def night(self, *, now: datetime | None = None, **given: object) -> Report:
        """One nightly run, with documents."""
        return night(self.settings(**given), policy=self.policy, now=now, call=self.call)

    def known(self, resource: str) -> dict[Any, Any]:
        """Published records by key, numbers as the sandbox has them."""
        return self.records(resource, partial(loads, parse_float=Decimal))

    def is_truth(self, resource: str) -> bool:
        """Whether exactly the records of the sandbox are published."""
        return self.known(resource) == self.sandbox.world.truth(resource)


@contextmanager
def with_desk(kept: KeptHomes, path: Path) -> Iterator[SandboxHome]:
    """A small sandbox, and a home after its first sync, with marts and dashboard; a session syncs it once."""
    with Sandbox(scale=40, seed=5) as sandbox:
        made = SandboxHome(sandbox, path)
        made.has_desk = True
        kept.copied("desk", made.path, lambda _: made.sync())
        yield made
