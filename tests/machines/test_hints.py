"""Hints that a machine accepted while another one ran: it takes in that run, and then reads what they name."""

from __future__ import annotations

import json
from contextlib import closing
from datetime import UTC, datetime

import pytest
from kit.notices import NoticeReceiver

from propsync.runbooks import read_hints
from propsync.storage import LocalStorage
from propsync.webhook.inbox import Inbox, Post

from .conftest import Machines


@pytest.mark.slow
def test_hints_on_a_machine_that_fell_behind_are_read(machines: Machines) -> None:
    idle, other = machines("idle"), machines("other")
    idle.sync()
    assert other.rebuild().exit_code == 0
    assert other.sync().exit_code == 0
    machines.api.assets[0]["note"] = "new"
    hint = json.dumps([{"type": "property", "id": "p1"}]).encode()
    Inbox(LocalStorage(idle.path)).add([Post(datetime.now(UTC), hint)])

    with closing(NoticeReceiver()) as chat:
        assert read_hints(idle.settings(notify_url=chat.url)).exit_code == 0
        assert chat.got == []  # a receiver tells of problems alone

    assert idle.known("assets")["a0"]["note"] == "new"
    assert idle.column("select state from ops.hints") == ["changed"]
    assert {*other.column("select run_id from ops.runs")} < {*idle.column("select run_id from ops.runs")}
