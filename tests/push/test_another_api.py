"""A plan is sent to the API that its tables are from, and a sync says when it reads another one."""

from __future__ import annotations

from pathlib import Path

import pytest
from kit.push_home import PushHome

from propsync.errors import UsageError
from propsync.push.plan import Plan, load_plan, save_plan
from propsync.runbooks.archiving.archive import archive
from propsync.runbooks.archiving.verify import verify
from propsync.runbooks.push.plans import Wanted, make_plan
from propsync.runbooks.push.undo import undo

_SQL = "select asset_id, 'new' as \"{}\" from assets where asset_id = '{}'"


@pytest.fixture(autouse=True)
def _loopback_is_like_any_other_host(home: PushHome, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("propsync.settings.service.is_loopback", lambda _: False)
    home.sync(["assets"])
    home.sandbox.journal.clear()


def elsewhere(home: PushHome) -> str:
    """The same server under another name: a copy of the service has the same ids and the same values."""
    return str(home.usual["base_url"]).replace("127.0.0.1", "localhost")


def planned(home: PushHome) -> Plan:
    asset_id, _, kind = home.assets(1)[0]
    sql = _SQL.format(home.field(kind, "text"), asset_id)
    plan, path = make_plan(home.settings(), Wanted("assets", sql=sql))
    assert load_plan(path) == plan
    return plan


def test_a_plan_is_not_sent_to_another_api(home: PushHome) -> None:
    plan = planned(home)
    with pytest.raises(UsageError, match=r"it is for the API http://127\.0\.0\.1.* is http://localhost") as refused:
        home.apply(plan, base_url=elsewhere(home))
    assert refused.value.exit_code == 2
    assert home.requests == []
    assert home.apply(plan).exit_code == 0
    back = undo(home.settings(), plan.plan_id)
    with pytest.raises(UsageError, match="it is for the API"):
        home.apply(back, base_url=elsewhere(home))
    assert home.apply(back).exit_code == 0


@pytest.mark.slow
def test_a_rebuild_knows_the_api_and_so_does_a_plan_of_an_earlier_version(home: PushHome, tmp_path: Path) -> None:
    home.rebuild()
    asset_id, _, kind = home.assets(1)[0]
    plan = home.plan(home.update(asset_id, {home.field(kind, "text"): "new"}))
    save_plan(plan, tmp_path / "earlier.plan")
    assert b'"api"' not in (tmp_path / "earlier.plan").read_bytes()
    with pytest.raises(UsageError, match="it is for the API"):
        home.apply(load_plan(tmp_path / "earlier.plan"), base_url=elsewhere(home))


def test_documents_of_another_api_are_not_stored(home: PushHome) -> None:
    for fetch in (archive, verify):  # which fetches a damaged file again
        with pytest.raises(UsageError, match="the tables are from http://127"):
            fetch(home.settings(base_url=elsewhere(home)))
    assert home.requests == []


def test_a_sync_from_another_api_says_so_once(home: PushHome) -> None:
    plan, moved = planned(home), elsewhere(home)
    report = home.sync(["assets"], base_url=moved)
    assert report.exit_code == 3
    assert [line for line in report.left_behind if line.startswith("earlier runs of this home read http://127")]
    assert home.sync(["assets"], base_url=moved).left_behind == []
    with pytest.raises(UsageError, match="it is for the API"):
        home.apply(plan, base_url=moved)
    assert home.apply(planned(home), base_url=moved).exit_code == 0
