"""Clients, servers and clocks for the tests of api/."""

from __future__ import annotations

import logging
import ssl
import threading

import pytest
from unit.api.loopback import TOKEN, FakeClock, Server

from propsync import log
from propsync.api import Api, RetryPolicy, TokenSource

# Reading the system's trust store takes longer than most tests.
TRUST = ssl.create_default_context()


@pytest.fixture
def clock():
    return FakeClock()


@pytest.fixture
def server():
    with Server() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def connect(server, clock):
    """Makes clients of the server, whose jitter is always the longest there is."""
    made = []

    def make(url=None, token=None, **options):
        options = {"clock": clock, "policy": RetryPolicy(rng=lambda: 1.0), "verify": TRUST} | options
        api = Api(url or server.url, token or TokenSource(TOKEN), **options)
        made.append(api)
        return api

    yield make
    for api in made:
        api.close()


@pytest.fixture
def api(connect):
    return connect()


@pytest.fixture(autouse=True)
def no_token_in_the_log(caplog):
    """The log of no test shows a token, at any level and of any library, guarded as by both shells."""
    caplog.set_level("DEBUG")
    make = logging.getLogRecordFactory()
    log.guard_records()
    yield
    logging.setLogRecordFactory(make)
    for when in ("setup", "call"):
        for record in caplog.get_records(when):
            assert TOKEN not in record.getMessage()
            assert TOKEN not in (record.exc_text or "")
