"""Erasures after ten nights with a backfill, a push, documents and held deletes, from a home in a bucket."""

from __future__ import annotations

from pathlib import Path

import pytest
from erasing.traces import traces
from kit.bucket import FolderBucket
from kit.comparing import assert_same
from machines.test_ten_nights import bucket, machine, sandbox, ten_nights

from propsync.erasing.request import Request
from propsync.runbooks import Scope, erase
from propsync_sandbox import Sandbox

__all__ = ["bucket", "sandbox"]


@pytest.mark.release
@pytest.mark.timeout(1800)
def test_nothing_is_found_after_ten_nights_and_three_more(
    sandbox: Sandbox,
    bucket: FolderBucket,
    tmp_path: Path,
) -> None:
    home = machine(sandbox, tmp_path / "home")
    ten_nights(sandbox, home)
    pushed = home.column("select record_id from ops.writes where record_id is not null")[0]
    place = home.column("select property_id from history.assets_typed where asset_id = ?", pushed)[0]
    documented = home.column("select assessment_id from documents where state = 'stored' order by version desc")[0]
    field = home.column("select field_id from asset_field_values group by field_id order by count(*) desc, field_id")[0]
    words = (pushed, documented, field)
    assert traces(home.path, *words)
    for request in (
        Request(asset=pushed, reason="asked"),
        Request(assessment=documented, reason="asked"),
        Request(field=field, reason="a mistake"),
    ):
        assert erase(home.settings(), request).exit_code in (0, 3)
    assert traces(home.path, *words) == []
    assert traces(bucket.root, *words) == []
    assert home.column("select count(*) from ops.erasures") == [3]
    assert home.column("select count(*) from ops.writes where new_value is not null or old_value is not null") == [0]
    for number in (20, 21, 22):
        sandbox.night(number)
        assert home.night().exit_code in (0, 3)
    home.backfill(Scope(properties=(place,)))
    assert traces(home.path, *words) == []
    assert traces(bucket.root, *words) == []
    published = home.copy_of_published()
    assert home.rebuild().exit_code in (0, 3)
    assert_same(published, home.published)
