"""Documents of long deleted assessments leave a bucket too, and no new machine brings them back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from erasing.traces import traces
from kit.home import Rows
from kit.sandbox_home import SandboxHome
from kit.stores import Stores

from propsync.runbooks import archive
from propsync.runbooks.archiving.verify import verify
from propsync.storage.objects import ObjectStorage
from propsync_sandbox import Sandbox

pytestmark = [pytest.mark.slow, pytest.mark.release]
DOCUMENTS = "select * exclude (verified_at) from documents order by all"


class Machine(SandboxHome):
    """A machine with a disk of its own, and a home in a bucket on a real server."""

    def __init__(self, sandbox: Sandbox, path: Path, bucket: dict[str, str]) -> None:
        super().__init__(sandbox, path, archive_text="true")
        self.has_desk, self._bucket = True, bucket

    def environ(self, **given: object) -> dict[str, str]:
        """With the bucket and its credentials."""
        return super().environ(**given) | self._bucket

    def on_night(self) -> None:
        """A night with documents, after which nothing is left behind."""
        assert self.night(delete_limit=1, archive_keep_years=1).left_behind == []

    def removed(self) -> int:
        """How many documents an archive run removed."""
        report = archive(self.settings(archive_keep_years=1), policy=self.policy)
        assert report.exit_code == 0
        return report.counts["removed"]

    def words(self, key: str) -> list[str]:
        """Words of an assessment's documents that are nowhere else."""
        ids = self.column(f"select id from bundle_actions where assessment_id = '{key}'")
        return [*ids, f"Assessment {key}, revision"]

    def older(self, key: str, days: int) -> None:
        """Makes what is known of an assessment older."""
        older = f"valid_from = valid_from - to_days({days}), valid_to = valid_to - to_days({days})"
        self.in_state(f"update history.assessments set {older} where assessment_id = '{key}'")

    def states(self, key: str) -> Rows:
        return self.rows(f"select kind, state, path from documents where assessment_id = '{key}' order by all")


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(scale=30) as made:
        yield made


def objects(storage: ObjectStorage, folder: Path) -> Path:
    """A copy of every object, in a new folder."""
    for key in storage.list(""):
        path = folder / key
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(storage.get(key))
    return folder


def test_documents_of_long_deleted_assessments_leave_the_bucket(
    sandbox: Sandbox, stores: Stores, tmp_path: Path
) -> None:
    store = stores["ministack"]
    bucket, storage = store.environ("years"), ObjectStorage(store.access("years"))
    home = Machine(sandbox, tmp_path / "one", bucket)
    home.on_night()
    old, young, *_ = (str(one.key) for one in sandbox.world.assessments.records() if one.status == "approved")
    words, kept = home.words(old), home.words(young)
    for key in (old, young):
        sandbox.world.assessments.delete(key)
    home.on_night()
    before = set(storage.list("archive/"))
    assert len(traces(objects(storage, tmp_path / "before"), *words)) > 2

    home.older(old, days=400)
    assert home.removed() == 2
    assert home.states(old) == [("bundle", "removed", None), ("report", "removed", None)]
    left = set(storage.list("archive/"))
    assert len(before - left) == 2
    assert {path for _, _, path in home.states(young)} <= left
    # unused blocks of a database keep what its rows had
    for place in (objects(storage, tmp_path / "after"), home.path):
        assert [one for one in traces(place, *words) if "warehouse.duckdb: raw" not in one] == []
    found = verify(home.settings(archive_keep_years=1), policy=home.policy)
    assert (found.exit_code, found.lost) == (0, 0)

    home.older(old, days=-400)  # as landing has it
    home.on_night()
    assert home.rebuild().exit_code == 0
    rebuilt = objects(storage, tmp_path / "rebuilt")
    assert traces(rebuilt, *words) == traces(home.path, *words) == []
    assert traces(rebuilt, *kept) != []
    other = Machine(sandbox, tmp_path / "two", bucket)
    assert other.rebuild().exit_code == 0
    assert other.rows(DOCUMENTS) == home.rows(DOCUMENTS)
    other.on_night()
    assert traces(other.path, *words) == []
    assert set(storage.list("archive/")) == left
