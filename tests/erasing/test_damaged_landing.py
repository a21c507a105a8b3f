"""An erasure makes the tables again from landing, so it begins only if landing can give all that the tables have."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from erasing.conftest import GONE
from erasing.traces import traces
from kit.server import Server
from kit.small_api import SmallApi, SmallHome, asset

from propsync.erasing.request import Request
from propsync.errors import BaseLost
from propsync.landing import Manifests, manifest_key
from propsync.landing.pages import page_key
from propsync.runbooks import erase
from propsync.storage import LocalStorage

_START = datetime.now(UTC) - timedelta(days=20)


@pytest.fixture
def home(tmp_path: Path) -> Iterator[SmallHome]:
    """A home after three nights; an asset changes each night."""
    api = SmallApi()
    api.assets.append(asset(GONE))
    with Server(api) as server:
        made = SmallHome(tmp_path / "home", server.url, api)
        for number in range(3):
            api.assets[0] = asset("a0", note=number)
            assert made.sync(now=_START + timedelta(days=number)).exit_code == 0
        yield made


def _manifest(storage: LocalStorage, run_id: str) -> str:
    return manifest_key("assets", run_id)


def _page(storage: LocalStorage, run_id: str) -> str:
    return page_key(next(iter(Manifests(storage).pages_of("assets", run_id))))


@pytest.mark.parametrize("lost", [_manifest, pytest.param(_page, marks=pytest.mark.slow)])
def test_an_erasure_waits_for_lost_files_until_history_takes_their_place(
    home: SmallHome, lost: Callable[[LocalStorage, str], str]
) -> None:
    storage = LocalStorage(home.path)
    second = Manifests(storage).runs("assets")[1]
    (home.path / lost(storage, second)).unlink()
    versions = home.rows("select * from history.assets where asset_id = 'a0' order by valid_from")

    with pytest.raises(BaseLost, match="it is missing"):
        erase(home.settings(), Request(asset=GONE, reason="asked"))
    # nothing has begun, so nights continue
    assert home.sync(now=_START + timedelta(days=9), landing_keep_days=1).exit_code == 0

    assert erase(home.settings(), Request(asset=GONE, reason="asked")).exit_code == 0
    assert traces(home.path, GONE) == []
    assert home.rows("select * from history.assets where asset_id = 'a0' order by valid_from") == versions
