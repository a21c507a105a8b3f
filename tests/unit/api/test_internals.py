"""Promises about what propsync uses of httpx and httpcore that is private to them: a change is noticed at once."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import httpcore
import httpx
import pytest
from packaging.requirements import Requirement
from unit.api.loopback import Reply

from propsync.api import ApiRequest, internals
from propsync.errors import LibraryUnfit

REQUEST = ApiRequest("GET", "/a")
PINNED = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text())["project"]["dependencies"]


def test_the_installed_versions_are_as_known():
    internals.check()


def _without(monkeypatch, owner, name):
    made = owner.__init__

    def init(self, *args, **kwargs):
        made(self, *args, **kwargs)
        delattr(self, name)

    monkeypatch.setattr(owner, "__init__", init)


LACKING = {
    "READ_NUM_BYTES": lambda patch: patch.delattr(httpcore.HTTP11Connection, "READ_NUM_BYTES"),
    "_h11_state": lambda patch: _without(patch, httpcore.HTTP11Connection, "_h11_state"),
    "HTTPConnection._connection": lambda patch: _without(patch, httpcore.HTTPConnection, "_connection"),
    "HTTPTransport._pool": lambda patch: _without(patch, httpx.HTTPTransport, "_pool"),
    "ConnectionPool._network_backend": lambda patch: _without(patch, httpcore.ConnectionPool, "_network_backend"),
}


@pytest.mark.parametrize("member", LACKING)
def test_a_member_that_is_gone_is_named_with_the_versions_that_have_it(monkeypatch, member):
    LACKING[member](monkeypatch)
    with pytest.raises(LibraryUnfit, match=member) as caught:
        internals.check()
    wanted = Requirement(caught.value.next_step.removeprefix("Install "))
    assert caught.value.where.split()[0] == wanted.name
    assert wanted in [Requirement(one) for one in PINNED]


def test_an_upgrade_that_lacks_one_fails_when_it_is_imported():
    code = "import httpcore; del httpcore.HTTP11Connection.READ_NUM_BYTES; import propsync.api"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert f"LibraryUnfit: httpcore {httpcore.__version__}: HTTP11Connection.READ_NUM_BYTES has moved" in done.stderr


def test_large_reads_are_for_our_connections_alone(api, server):
    server.script = [Reply(body=b"[%s]" % b",".join([b"1"] * 400_000))]
    assert len(api.fetch(REQUEST).body) == 800_001
    ((transport, _),) = api._transport._connections._idle
    assert [one.READ_NUM_BYTES for one in internals._http11_of(transport)] == [256 * 1024]
    assert httpcore.HTTP11Connection.READ_NUM_BYTES == 64 * 1024
