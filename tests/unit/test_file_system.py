"""The doctor names the file system that a home is really on."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from propsync.runbooks.doctor.home import examine_places, file_system
from propsync.settings import load_settings


class Mount(NamedTuple):
    """A line of /proc/mounts."""

    mountpoint: str
    fstype: str


@pytest.fixture
def share(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that autofs watches, and where it mounted a share."""
    mounts = [Mount("/", "ext4"), Mount(str(tmp_path / "share"), "autofs"), Mount(str(tmp_path / "share"), "nfs4")]
    monkeypatch.setattr("psutil.disk_partitions", lambda *, all: mounts)
    (tmp_path / "share" / "home").mkdir(parents=True)
    return tmp_path / "share"


def test_of_two_at_one_place_the_later_counts(share: Path):
    assert (file_system(share / "home"), file_system(share.parent / "home")) == ("nfs4", "ext4")


def test_a_link_is_on_the_disk_to_which_it_leads(share: Path):
    link = share.parent / "link"
    link.symlink_to(share / "home")
    assert file_system(link / "state") == "nfs4"


@pytest.mark.parametrize("kind", ["nfs4", "fuse.sshfs", "fuse.s3fs", "fuse.rclone", "fuse.blobfuse2"])
def test_a_home_that_is_not_on_a_local_disk_is_bad(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("psutil.disk_partitions", lambda *, all: [Mount("/", kind)])
    for folder in ("state/work", "landing", "published", "archive"):
        (tmp_path / folder).mkdir(parents=True)
    settings = load_settings(environ={"PROPSYNC_HOME": str(tmp_path)})
    (found,) = [one for one in examine_places(settings) if one.what == "file system"]
    assert not found.is_well
    assert found.seen.endswith(f"is on {kind}")
