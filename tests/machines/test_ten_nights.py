"""A machine is lost after ten nights with all that can happen in them: a new one has everything that it had."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest
from kit.bucket import KEYS, URL, FolderBucket, flaws
from kit.comparing import assert_same, difference
from kit.push_home import PushHome

from propsync.runbooks import Scope
from propsync.settings import StorageAccess
from propsync_sandbox import Sandbox

_DOCUMENTS = ("documents", "bundle_members", "document_text", "bundle_actions", "bundle_controls", "bundle_elements")


class Machine(PushHome):
    """A machine with a home in a bucket."""

    def environ(self, **given: object) -> dict[str, str]:
        """With the credentials of the bucket."""
        return super().environ(**given) | KEYS


@pytest.fixture
def bucket(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FolderBucket:
    made = FolderBucket(tmp_path / "bucket")

    def opened(_: StorageAccess, **_options: bool) -> FolderBucket:
        return made

    for name in ("workplace", "push.bucket", "erasure.verify"):
        monkeypatch.setattr(import_module(f"propsync.runbooks.{name}"), "object_storage", opened)
    return made


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(scale=60, seed=11) as made:
        yield made


def machine(sandbox: Sandbox, path: Path, kinds: str = "report", **given: object) -> Machine:
    return Machine(sandbox, path, storage_url=URL, archive_kinds=kinds, landing_keep_days=3, delete_limit=0.1, **given)


def rename(sandbox: Sandbox, type_id: str, field_id: str, label: str) -> None:
    sandbox.world.asset_types.rename_field(type_id, field_id, label)


def ten_nights(sandbox: Sandbox, home: Machine) -> None:
    """Edits, documents, names given to columns, a backfill, a push, and deletes that are held at the end."""
    assert home.night().exit_code == 0
    ((asset_id, property_id, type_id), *_) = home.assets(1)
    labelled = sandbox.world.asset_types.fields(type_id)[0]["id"]
    for number in range(9):
        sandbox.night(number)
        if number in (2, 5):
            rename(sandbox, type_id, labelled, f"Renamed in night {number}")
        if number == 3:
            assert home.backfill(Scope(properties=(property_id,))).exit_code == 0
        if number == 4:
            text = home.field(home.assets(1)[0][2], "text")
            home.apply(home.plan(home.update(asset_id, {text: "pushed"})))
        if number == 8:
            for key in sandbox.world.assets.keys()[:30]:
                sandbox.world.assets.delete(key)
        assert home.night().exit_code == (3 if number == 8 else 0)
    assert home.rows("select count(*) from ops.held_deletes")[0][0] >= 20


@pytest.mark.release
def test_a_new_machine_with_settings_alone_has_all_that_a_lost_one_had(
    sandbox: Sandbox, bucket: FolderBucket, tmp_path: Path
) -> None:
    lost = machine(sandbox, tmp_path / "lost")
    ten_nights(sandbox, lost)
    assert flaws(bucket, lost.path) == []
    before, note = lost.copy_of_published(), lost.note()
    shutil.rmtree(lost.path)
    new = machine(sandbox, tmp_path / "new")
    assert new.rebuild().exit_code == 0
    assert_same(before, new.published)
    assert difference(before, new.published, *(f"main.{name}" for name in _DOCUMENTS)) == {}
    kept = ("run_resources", "sweeps", "held_deletes", "rejected_records", "value_issues", "writes", "schema_changes")
    assert difference(before, new.published, *(f"ops.{name}" for name in kept)) == {}
    runs = f"select run_id, flow, started_at, ended_at, status, error from ops.runs where run_id <= '{note['run']}'"
    assert len(new.rows(runs)) == len(new.rows("from ops.runs")) - 1, "the rebuild is the one run more"
    for path, sha256 in new.rows("select path, sha256 from documents where path is not null"):
        assert (bucket.root / path).is_file()
        assert sha256 in path
    quiet = new.night(delete_limit=0.1)
    assert {one[name] for one in quiet.resources.values() for name in ("inserted", "updated", "deleted")} == {0}
    assert_same(before, new.published)
    assert flaws(bucket, new.path) == []
