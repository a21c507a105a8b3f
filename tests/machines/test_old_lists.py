"""A bucket whose lists are older than its objects: some stores show for a while what has gone."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from kit.bucket import FolderBucket

from propsync.runbooks.archiving.verify import verify

from .conftest import Machines

GONE = f"archive/blobs/aa/{'a' * 64}.pdf"


class OldLists(FolderBucket):
    """Its lists show a document that has gone."""

    def tags(self, prefix: str) -> Iterable[tuple[str, str]]:
        return [*super().tags(prefix), *([(GONE, "tag")] if GONE.startswith(prefix) else [])]


def test_a_document_that_has_gone_from_the_bucket_is_no_file_without_a_version(
    machines: Machines, tmp_path: Path
) -> None:
    machines.use(OldLists(tmp_path / "bucket"))
    home = machines("one")
    assert home.sync().exit_code == 0
    for removes in (False, True):
        report = verify(home.settings(), remove_orphans=removes)
        assert (report.exit_code, report.orphans) == (0, [])
