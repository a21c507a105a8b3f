"""A sandbox that is only read, shared by a module, and one of its own for tests that change or break it."""

import ssl
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import httpx
import pytest

from propsync_sandbox import Sandbox

StartedSandbox = tuple[Sandbox, httpx.Client]
Start = Callable[..., StartedSandbox]


# Without TLS there is no need to read all certificates of the system for each client.
PLAIN: dict[str, Any] = {"trust_env": False, "verify": ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)}


def client_of(sandbox: Sandbox, **options: Any) -> httpx.Client:
    headers = {"Authorization": f"Bearer {sandbox.token}"}
    return httpx.Client(base_url=sandbox.base_url, headers=headers, timeout=5, **PLAIN | options)


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(scale=240, seed=7) as started:
        yield started


@pytest.fixture(scope="module")
def client(sandbox: Sandbox) -> Iterator[httpx.Client]:
    with client_of(sandbox) as opened:
        yield opened


@pytest.fixture(scope="module")
def stranger(sandbox: Sandbox) -> Iterator[httpx.Client]:
    """A client without a token."""
    with httpx.Client(base_url=sandbox.base_url, **PLAIN) as opened:
        yield opened


@pytest.fixture
def start() -> Iterator[Start]:
    """Start a sandbox with any options and a client for it; both end with the test."""
    with ExitStack() as stack:

        def started(**options: Any) -> StartedSandbox:
            sandbox = stack.enter_context(Sandbox(**({"scale": 60} | options)))
            return sandbox, stack.enter_context(client_of(sandbox))

        yield started
