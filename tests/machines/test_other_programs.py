"""Objects of other programs in the bucket stay: somebody may name a bucket that many use, without a folder."""

from __future__ import annotations

import pytest

from propsync.errors import SettingsError

from .conftest import Machines

OTHERS = ("files/report.pdf", "log/20260301.json", "packs/parcels.zip", "published/minutes.html")


@pytest.mark.parametrize("key", OTHERS)
def test_a_bucket_with_other_objects_where_propsync_keeps_its_own_is_refused(machines: Machines, key: str) -> None:
    machines.bucket.put(key, b"of somebody")
    with pytest.raises(SettingsError, match=rf"other objects .*such as {key}\. Name a new folder in that bucket") as no:
        machines("first").sync()
    assert no.value.exit_code == 2
    assert [*machines.bucket.list("")] == [key]


@pytest.mark.slow
def test_those_that_came_later_stay_and_count_as_no_commit(machines: Machines) -> None:
    first = machines("first")
    first.sync()
    for key in OTHERS[:3]:
        machines.bucket.put(key, b"of somebody")
    assert first.sync().exit_code == 0
    assert all(machines.bucket.exists(key) for key in OTHERS[:3])
