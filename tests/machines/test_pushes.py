"""A plan that two machines apply, one after the other, with one home in a bucket."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path

import pytest
from kit.bucket import KEYS, URL, FolderBucket
from kit.push_home import PushHome

from propsync.bucket.known import machine_id
from propsync.erasing.request import Request
from propsync.errors import HomeBehind, StorageAway, TokenRefused, UsageError
from propsync.push.journals.journal import journal_key
from propsync.push.plan import Plan
from propsync.runbooks.erasure.erase import erase
from propsync.runbooks.push.bucket import copied_journal
from propsync.runbooks.push.undo import undo, unfinished
from propsync.storage import LocalStorage
from propsync_sandbox import Sandbox


class Machine(PushHome):
    """A machine with a home in a bucket."""

    def environ(self, **given: object) -> dict[str, str]:
        """With the credentials of the bucket."""
        return super().environ(**given) | KEYS

    def lost_while_sending(self, plan: Plan, path: Path) -> Machine:
        """This machine sends a plan, and is lost before it has recorded the result. Returns a new one."""
        self.is_lost = True
        with pytest.raises(Lost):
            self.apply(plan)
        shutil.rmtree(self.path)
        new = Machine(self.sandbox, path, storage_url=URL)
        new.rebuild()
        return new

    is_lost = False

    def call(self, name: str, step: Callable[[], str | None]) -> None:
        """Runs a step of a run."""
        super().call(name, step)
        if self.is_lost and name == "send":
            raise Lost


class Lost(Exception):
    """A machine is gone."""


@pytest.fixture
def bucket(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FolderBucket:
    made = FolderBucket(tmp_path / "bucket")
    for name in ("workplace", "push.bucket"):
        monkeypatch.setattr(import_module(f"propsync.runbooks.{name}"), "object_storage", lambda *_, **__: made)
    return made


@pytest.fixture
def first(bucket: FolderBucket, tmp_path: Path) -> Iterator[Machine]:
    """A machine that has read the API."""
    with Sandbox(scale=60, seed=11) as sandbox:
        made = Machine(sandbox, tmp_path / "first", storage_url=URL)
        made.sync(["assets"])
        yield made


@pytest.mark.slow
def test_another_machine_continues_from_the_journal_of_one_that_was_lost(
    bucket: FolderBucket, first: Machine, tmp_path: Path
) -> None:
    ((asset_id, property_id, kind),) = first.assets(1)
    values = {first.field(kind, "text"): "new"}
    plan = first.plan(first.update(asset_id, values), first.create(property_id, kind, values))
    later = first.lost_while_sending(plan, tmp_path / "later")
    with pytest.raises(UsageError, match="began to send it at"):
        later.apply(plan)
    assert unfinished(later.settings()) == [], "its machine may still be at work"
    bucket.delete(f"sending/{plan.plan_id}.json")
    assert later.apply(plan).exit_code == 0
    assert [(state, code, at is None) for state, code, at in later.writes("state, code, written_at")] == [
        ("verified", None, False),
        ("verified", None, False),
    ]
    assert sorted(first.effects.values()) == [1, 1]
    assert len(undo(later.settings(), plan.plan_id).entries) == 1, "what the lost machine sent can be undone"
    assert list(bucket.list("sending")) == []


@pytest.mark.slow
def test_nothing_is_erased_that_the_unfinished_plan_of_another_machine_names(
    bucket: FolderBucket, first: Machine, tmp_path: Path
) -> None:
    ((asset_id, _, kind),) = first.assets(1)
    plan = first.plan(first.update(asset_id, {first.field(kind, "text"): "new"}))
    later = first.lost_while_sending(plan, tmp_path / "later")
    with pytest.raises(UsageError, match=f"sending/{plan.plan_id}.jsonl: a push that names it is not finished"):
        erase(later.settings(), Request(asset=asset_id, reason="asked"))
    for key in list(bucket.list("sending")):
        bucket.delete(key)
    assert erase(later.settings(), Request(asset=asset_id, reason="asked")).exit_code == 0


def test_a_bucket_has_the_journal_while_a_plan_is_sent(
    bucket: FolderBucket, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("propsync.runbooks.push.bucket._PAUSE", 0.01)
    monkeypatch.setattr("propsync.runbooks.push.bucket._SHARE", 0)  # a copy on a busy machine takes seconds
    with Sandbox(scale=60) as sandbox:
        settings = Machine(sandbox, tmp_path / "home", storage_url=URL).settings()
    home, copy = LocalStorage(settings.home), bucket.root / "sending" / "plan.jsonl"
    sender = {"machine": machine_id(home), "host": "here", "since": "now"}
    bucket.put("sending/plan.json", json.dumps(sender).encode())
    with copied_journal(settings, "plan"):
        for body in (b"begun", b"begun and sent"):
            home.put(journal_key("plan"), body)
            _await(copy, body)
        home.put(journal_key("plan"), b"the end")
    assert copy.read_bytes() == b"the end"
    bucket.put("sending/plan.json", json.dumps(sender | {"machine": "another"}).encode())
    with copied_journal(settings, "plan"):
        home.put(journal_key("plan"), b"begun and slept")
    assert copy.read_bytes() == b"the end", "the machine that took over keeps its own"
    bucket.put("sending/plan.json", json.dumps(sender).encode())

    def away(*_: object) -> None:
        raise StorageAway(URL, "it does not answer")

    monkeypatch.setattr(bucket, "put", away)
    with copied_journal(settings, "plan"):
        home.put(journal_key("plan"), b"lost")
    assert "the bucket has no newer copy of the journal: " in caplog.text


def _await(path: Path, body: bytes) -> None:
    until = time.monotonic() + 30
    while not path.exists() or path.read_bytes() != body:
        assert time.monotonic() < until
        time.sleep(0.01)


@pytest.mark.release
def test_a_machine_that_could_not_begin_a_plan_leaves_the_records_of_the_one_that_sent_it(
    bucket: FolderBucket, tmp_path: Path
) -> None:
    with Sandbox(scale=60, seed=11) as sandbox:
        late, first = (Machine(sandbox, tmp_path / name, storage_url=URL) for name in ("late", "first"))
        late.sync(["assets"])
        ((asset_id, _, kind),) = late.assets(1)
        plan = late.plan(late.update(asset_id, {late.field(kind, "text"): "new"}))
        first.rebuild()
        with pytest.raises(HomeBehind):
            late.apply(plan)
        assert unfinished(late.settings()) == []
        sandbox.set_faults([{"match": {"method": "GET"}, "effect": {"kind": "status", "status": 401}}])
        with pytest.raises(TokenRefused):
            first.apply(plan)
        assert list(bucket.list("sending")) == [], "nothing is sent, so another machine may send it"
        sandbox.set_faults([])
        assert first.apply(plan).exit_code == 0
        sent = first.writes("state, code, written_at")
        late.rebuild()
        assert late.apply(plan).is_repeat
        assert late.writes("state, code, written_at") == sent
        assert len(undo(late.settings(), plan.plan_id).entries) == 1
