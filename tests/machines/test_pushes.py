"""A plan that two machines apply, one after the other, with one home in a bucket."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest
from kit.bucket import KEYS, URL, FolderBucket
from kit.push_home import PushHome

from propsync.errors import HomeBehind, TokenRefused
from propsync.runbooks.push_undo import undo, unfinished
from propsync_sandbox import Sandbox


class Machine(PushHome):
    """A machine with a home in a bucket."""

    def environ(self, **given: object) -> dict[str, str]:
        """With the credentials of the bucket."""
        return super().environ(**given) | KEYS


@pytest.mark.release
def test_a_machine_that_could_not_begin_a_plan_leaves_the_records_of_the_one_that_sent_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bucket = FolderBucket(tmp_path / "bucket")
    for name in ("workplace", "push"):  # `runbooks.push` as an attribute is the function of that name
        monkeypatch.setattr(import_module(f"propsync.runbooks.{name}"), "object_storage", lambda _: bucket)
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
        assert first.apply(plan).exit_code == 0
        sent = first.writes("state, code, written_at")
        late.rebuild()
        assert late.apply(plan).is_repeat
        assert late.writes("state, code, written_at") == sent
        assert len(undo(late.settings(), plan.plan_id).entries) == 1
