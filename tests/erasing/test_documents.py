"""Erased assessments and texts in documents: files, versions, pages and rows of bundles."""

from __future__ import annotations

import hashlib
import io
import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from erasing.traces import traces
from kit.archives import SMALL, WRITERS, Place, place
from kit.comparing import difference
from kit.home import QUICK

from propsync.documents.blobs import key_of
from propsync.documents.fetch_log import Fetched, FetchLog
from propsync.documents.kinds import KINDS
from propsync.erasing.request import Request
from propsync.runbooks import erase
from propsync.runbooks.archiving.verify import verify
from propsync.runbooks.erasure.verify import verify_erased
from propsync.storage import LocalStorage
from propsync_sandbox.findings import Subject

NAME = "Renée Müller"
pytestmark = pytest.mark.slow


@pytest.fixture
def archived(archived_small: Path, tmp_path: Path) -> Iterator[Place]:
    """Documents with their texts, some of them in two versions."""
    with place(tmp_path / "home", archived_small, scale=SMALL) as made:
        made.usual = made.usual | {"archive_text": "true"}
        made.edit(*made.wanted()[:3])
        made.sync()
        made.archive()
        yield made


@pytest.mark.release
def test_an_erased_assessment_takes_both_versions_of_its_documents_along(archived: Place) -> None:
    gone = archived.wanted()[0]
    files = archived.column("select distinct sha256 from documents where assessment_id = ? and path is not null", gone)
    others = archived.rows(
        "select assessment_id, kind, version, path from documents where assessment_id <> ? order by all", gone
    )
    assert len(files) == 4
    assert traces(archived.path, gone)

    assert erase(archived.settings(), Request(assessment=gone, reason="asked")).exit_code == 0

    assert traces(archived.path, gone) == []
    assert traces(archived.path / "archive", *files) == []
    assert archived.rows("select assessment_id, kind, version, path from documents order by all") == others
    assert archived.column("select documents from ops.erasures") == [len(files)]
    archived.sync()
    log = FetchLog(LocalStorage(archived.path))
    log.add(Fetched(gone, "report", "missing", "2026-05-04", "2026-05-04"))
    log.close()
    archived.archive()
    assert traces(archived.path, gone) == []
    assert traces(archived.path / "archive", *files) == []
    published = archived.copy_of_published()
    assert archived.rebuild().exit_code == 0
    assert difference(published, archived.published) == {}


def unnamed(at: Place, assessment_id: str) -> Path:
    """A further file of a report, as a killed archive run leaves it: no row names it."""
    (path, *_) = at.column("select path from documents where assessment_id = ? and kind = 'report'", assessment_id)
    body = (at.path / path).read_bytes() + b"\n% another version\n%%EOF\n"
    file = at.path / key_of(KINDS["report"], hashlib.sha256(body).hexdigest())
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(body)
    return file


@pytest.mark.release
def test_a_document_that_no_row_names_goes_with_its_assessment(archived: Place) -> None:
    gone, other = archived.wanted()[:2]
    file, stays = unnamed(archived, gone), unnamed(archived, other)
    done = erase(archived.settings(), Request(assessment=gone, reason="asked"))
    assert (done.exit_code, done.found["documents"]) == (0, 5)
    assert (file.exists(), stays.exists()) == (False, True)
    assert traces(archived.path, gone) == []


@pytest.mark.release
@pytest.mark.parametrize("kind", ["assessment", "text"])
def test_a_damaged_file_aside_goes_too(archived: Place, kind: str) -> None:
    gone = archived.wanted()[0]
    query = "select path from documents where assessment_id = ? and kind = 'report' and version = 1"
    (path,) = archived.column(query, gone)
    file = archived.path / path
    file.write_bytes(file.read_bytes()[:-1])
    assert verify(archived.settings(), policy=QUICK).exit_code == 3
    aside = archived.path / "archive" / "rotten" / file.relative_to(archived.path / "archive" / "blobs")
    assert aside.exists()
    words = {"assessment": gone} if kind == "assessment" else {"text": f"Assessment {gone}, revision"}
    erase(archived.settings(), Request(**words, reason="asked"))
    assert not aside.exists()


def test_an_erased_text_takes_the_files_that_have_it_along(archived: Place) -> None:
    text = archived.column("select title from bundle_actions where length(title) > 12 order by title")[0]
    having = archived.column("select distinct document_sha256 from bundle_actions where title = ?", text)
    rows = archived.rows("select count(*) from bundle_actions")
    assert traces(archived.path, text)
    killed = archived.path / "archive" / "partial" / "killed.zip.partial"
    stored = archived.column("select path from documents where sha256 = ?", having[0])[0]
    shutil.copyfile(archived.path / stored, killed)

    assert erase(archived.settings(), Request(text=text, reason="asked")).exit_code == 0

    assert not killed.exists()
    assert traces(archived.path, text) == []
    erased = archived.column("select sha256 from documents where state = 'erased' and path is null")
    assert {*having} <= {*erased}
    assert archived.rows("select count(*) from bundle_actions") == rows
    archived.sync()
    archived.archive()
    assert traces(archived.path, text) == []
    assert {*erased} == {*archived.column("select sha256 from documents where state = 'erased'")}
    assert archived.column("select count(*) from marts.document_coverage") == [0]
    published = archived.copy_of_published()
    assert archived.rebuild().exit_code == 0
    assert difference(published, archived.published) == {}


class NamingWriters:
    """Documents of some assessments have a name where no table shows it: `named` has their ids."""

    def __init__(self) -> None:
        self.named: set[str] = set()
        self.is_plain = False

    def report(self, of: Subject) -> bytes:
        body = WRITERS["report"](of)
        return body + f"% by {NAME}\n%%EOF\n".encode("cp1252") if self._names(of) else body

    def bundle(self, of: Subject) -> bytes:
        if not self._names(of):
            return WRITERS["bundle"](of)
        inner, outer = io.BytesIO(), io.BytesIO(WRITERS["bundle"](of))
        with zipfile.ZipFile(inner, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("notes.txt", NAME.upper().encode("utf-16"))
        with zipfile.ZipFile(outer, "a", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("more.zip", inner.getvalue())
        return outer.getvalue()

    def _names(self, of: Subject) -> bool:
        return str(of.record.key) in self.named and not self.is_plain


@pytest.mark.release
def test_a_text_that_no_table_shows_goes_with_its_documents_and_stays_away(
    archived_small: Path, tmp_path: Path
) -> None:
    writers = NamingWriters()
    written = {"report": writers.report, "bundle": writers.bundle}
    with place(tmp_path / "home", archived_small, writers=written, scale=SMALL) as made:
        first, second = made.wanted()[:2]
        writers.named = {first, second}
        made.edit(first)
        made.sync()
        made.archive()
        others = made.rows("select assessment_id, kind, version, path from documents where version = 1 order by all")
        assert verify_erased(made.settings(), NAME).exit_code == 3

        assert erase(made.settings(), Request(text=NAME, reason="asked")).exit_code == 0

        erased = "select assessment_id, kind, version from documents where state = 'erased' order by all"
        assert made.rows(erased) == [(first, "bundle", 2), (first, "report", 2)]
        assert others == made.rows(
            "select assessment_id, kind, version, path from documents where version = 1 order by all"
        )
        made.edit(first, second)
        made.sync()
        assert made.archive().exit_code == 0
        assert verify_erased(made.settings(), NAME).findings.verdict == "clean"
        assert {key for key, *_ in made.rows(erased)} == {first, second}
        assert made.archive().counts["stored"] == 0

        writers.is_plain = True
        made.edit(first)
        made.sync()
        assert made.archive().counts["stored"] == 2
        assert made.differing({(first, "report"), (first, "bundle")}) == set()
        published = made.copy_of_published()
        assert made.rebuild().exit_code == 0
        assert difference(published, made.published) == {}
        assert verify_erased(made.settings(), NAME).findings.verdict == "clean"
