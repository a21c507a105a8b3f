"""Erasures after ten nights with a backfill, a push, documents and held deletes, from a home in a bucket."""

from __future__ import annotations

import json
import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest
from erasing.traces import traces
from kit.bucket import FolderBucket
from kit.comparing import assert_same
from machines.test_ten_nights import bucket, machine, sandbox, ten_nights

from propsync.erasing.request import Request
from propsync.runbooks import Scope, erase
from propsync.runbooks.erasure.verify import verify_erased
from propsync.storage import LocalStorage
from propsync.webhook.inbox import Inbox, Post
from propsync_sandbox import Sandbox

__all__ = ["bucket", "sandbox"]


NOTE = "Closer adjusted on site; re-check in three months."
"""A comment of inspectors: in notes of assets, in assessments, in the text of reports and in bundles."""


@pytest.mark.release
@pytest.mark.timeout(1800)
def test_nothing_is_found_after_ten_nights_and_three_more(
    sandbox: Sandbox,
    bucket: FolderBucket,
    tmp_path: Path,
) -> None:
    home = machine(sandbox, tmp_path / "home", "report,bundle", archive_text=True)
    ten_nights(sandbox, home)
    pushed = home.column("select record_id from ops.writes where record_id is not null")[0]
    place = home.column("select property_id from history.assets_typed where asset_id = ?", pushed)[0]
    documented = home.column("select assessment_id from documents where state = 'stored' order by version desc")[0]
    field = home.column("select field_id from asset_field_values group by field_id order by count(*) desc, field_id")[0]
    words = (pushed, documented, field, NOTE)
    for word in words:
        assert traces(home.path, word)
        assert traces(bucket.root, word)
        assert verify_erased(home.settings(), word).findings.verdict == "found"
    for query in _HAVING_NOTES:
        assert home.column(query, NOTE)[0] > 0
    old_state = tmp_path / "old-state"
    shutil.copytree(home.path / "state", old_state)
    for request in (
        Request(asset=pushed, reason="asked"),
        Request(assessment=documented, reason="asked"),
        Request(field=field, reason="a mistake"),
        Request(text=NOTE, reason="it names nobody, yet somebody asked"),
    ):
        assert erase(home.settings(), request).exit_code in (0, 3)

    def assert_clean() -> None:
        assert traces(home.path, *words) == []
        assert traces(bucket.root, *words) == []
        for word in words:
            assert verify_erased(home.settings(), word).findings.verdict == "clean"

    assert_clean()
    assert home.column("select count(*) from ops.erasures") == [4]
    assert home.column("select count(*) from ops.writes where new_value is not null or old_value is not null") == [0]
    for number in (20, 21, 22):
        sandbox.night(number)
        assert home.night().exit_code in (0, 3)
    home.backfill(Scope(properties=(place,)))
    Inbox(LocalStorage(home.path)).add(
        [Post(datetime.now(UTC), json.dumps([{"type": "asset", "id": pushed}]).encode())]
    )
    assert home.night().exit_code in (0, 3)
    assert_clean()
    published = home.copy_of_published()
    assert home.rebuild().exit_code in (0, 3)
    assert_same(published, home.published)
    shutil.rmtree(home.path / "state")
    shutil.copytree(old_state, home.path / "state")
    assert home.night().exit_code in (0, 3), "a home behind its bucket is rebuilt first"
    assert_clean()
    assert_same(published, home.published)


_HAVING_NOTES = (
    "select count(*) from history.assets where contains(payload::varchar, ?)",
    "select count(*) from history.assessments where contains(payload::varchar, ?)",
    "select count(*) from document_text where contains(text, ?)",
    "select count(*) from bundle_controls where contains(comment, ?)",
)
