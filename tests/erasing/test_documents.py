"""Erased assessments and texts in documents: files, versions, pages and rows of bundles."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from erasing.traces import traces
from kit.archives import SMALL, Place, place
from kit.comparing import difference

from propsync.documents.fetch_log import Fetched, FetchLog
from propsync.erasing.request import Request
from propsync.runbooks import erase
from propsync.storage import LocalStorage

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


def test_an_erased_text_takes_the_files_that_have_it_along(archived: Place) -> None:
    text = archived.column("select title from bundle_actions where length(title) > 12 order by title")[0]
    having = archived.column("select distinct document_sha256 from bundle_actions where title = ?", text)
    rows = archived.rows("select count(*) from bundle_actions")
    assert traces(archived.path, text)

    assert erase(archived.settings(), Request(text=text, reason="asked")).exit_code == 0

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
