"""An erased asset that bundles of assessments name: their rows do not show it, and their files stay."""

from __future__ import annotations

import csv
import io
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest
from erasing.traces import traces
from kit.archives import SMALL, WRITERS, Place, place
from kit.comparing import difference

from propsync.documents.blobs import Blobs
from propsync.documents.worker.client import WorkerPool
from propsync.erasing.request import Request
from propsync.runbooks import erase
from propsync.runbooks.erasure.documents import DocumentSearch
from propsync.runbooks.erasure.verify import verify_erased
from propsync.storage import LocalStorage
from propsync.suppression import ID, Erasure, Marker, Suppression
from propsync_sandbox.findings import Subject

pytestmark = pytest.mark.slow
CSV = "elements.csv"


class NamingBundles:
    """The bundles of these assessments have a row of elements with the id `name`."""

    def __init__(self) -> None:
        self.name = ""
        self.assessments: set[str] = set()

    def bundle(self, of: Subject) -> bytes:
        body, written = WRITERS["bundle"](of), io.BytesIO()
        if str(of.record.key) not in self.assessments:
            return body
        with zipfile.ZipFile(io.BytesIO(body)) as source, zipfile.ZipFile(written, "w") as target:
            for member in source.namelist():
                target.writestr(member, source.read(member) + (self._row(source) if member == CSV else b""))
        return written.getvalue()

    def _row(self, source: zipfile.ZipFile) -> bytes:
        header = next(csv.reader(io.StringIO(source.read(CSV).decode("utf-8-sig"))))
        return ",".join([self.name, "Named", *[""] * (len(header) - 2)]).encode() + b"\r\n"


@contextmanager
def naming(archived_small: Path, tmp_path: Path) -> Iterator[tuple[Place, NamingBundles]]:
    """A home whose next bundles may name an asset, and the writer of these bundles."""
    writers = NamingBundles()
    written = {"report": WRITERS["report"], "bundle": writers.bundle}
    with place(tmp_path / "home", archived_small, writers=written, scale=SMALL) as made:
        writers.name = made.column("select min(asset_id) from assets")[0]
        yield made, writers


def test_rows_of_later_bundles_name_it_no_more_and_files_that_do_are_told(archived_small: Path, tmp_path: Path) -> None:
    with naming(archived_small, tmp_path) as (made, writers):
        gone = writers.name
        first, second = made.wanted()[:2]
        writers.assessments = {first, second}
        made.edit(first)
        made.sync()
        made.archive()
        file = made.column(
            "select path from documents where assessment_id = ? and kind = 'bundle' and is_latest", first
        )[0]

        report = erase(made.settings(), Request(asset=gone, reason="asked"))

        assert (report.exit_code, len(report.left_behind)) == (3, 1)
        assert report.left_behind[0].startswith(f"documents of other records name it: 1, such as {file}.")
        assert {one.file for one in verify_erased(made.settings(), gone).findings.traces} == {file}
        assert erase(made.settings(), Request(asset=gone, reason="asked")).left_behind == report.left_behind
        made.edit(second)
        made.sync()
        assert made.archive().exit_code == 0
        named = made.rows("select assessment_id, id from bundle_elements where name = 'Named' order by 1")
        assert [key for key, _ in named] == sorted([first, second])
        assert {name.partition("-")[0] for _, name in named} == {"erased"}
        assert traces(made.published, gone) == []
        published = made.copy_of_published()
        assert made.rebuild().exit_code == 0
        assert difference(published, made.published) == {}


def test_an_earlier_bundle_that_names_it_is_told_too(archived_small: Path, tmp_path: Path) -> None:
    with naming(archived_small, tmp_path) as (made, writers):
        gone = writers.name
        named, damaged = made.wanted()[:2]
        for names in ({named}, set()):  # each approved again: the later bundle names it no more
            writers.assessments = names
            made.edit(named, damaged)
            made.sync()
            made.archive()
        earlier = (
            "select path from documents where assessment_id = ? and kind = 'bundle' order by version desc offset 1"
        )
        file = made.column(earlier, named)[0]
        (made.path / made.column(earlier, damaged)[0]).write_bytes(b"PK nothing whole")

        report = erase(made.settings(), Request(asset=gone, reason="asked"))

        assert report.exit_code == 3
        assert [line.partition(" ")[0] for line in report.left_behind[1:]] == made.column(earlier, damaged)[:1]
        assert report.left_behind[0].startswith(f"documents of other records name it: 1, such as {file}.")
        assert erase(made.settings(), Request(asset=gone, reason="asked")).left_behind == report.left_behind


def test_a_csv_past_64_mb_is_named_as_unread_and_the_others_are_read(tmp_path: Path) -> None:
    marker = Marker(b"k" * 32)
    erasure = Erasure("e1", "asset", datetime.now(UTC), "asked", record=marker.mark(ID, "asset-4711"))
    with zipfile.ZipFile(tmp_path / "bundle.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("actions.csv", b"id,name\n" * (9 << 20))
        archive.writestr(CSV, b"id,name\nasset-4711,Door\n")
    with WorkerPool() as pdf:
        search = DocumentSearch(Blobs(LocalStorage(tmp_path)), Suppression(marker, [erasure]), pdf, tmp_path)
        assert search.in_csvs(["bundle.zip"]) == ["bundle.zip"]
    assert search.unread == ["bundle.zip: actions.csv"]
