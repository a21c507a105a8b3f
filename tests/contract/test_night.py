"""Documents beside a nightly run: what becomes of them is told, and never makes less of the tables."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import propsync
from propsync.errors import DiskFull, MergeFailed, PropsyncError
from propsync.runbooks import archive, night, nightly, rebuild
from propsync.runbooks.resource_sync import ResourceSync
from propsync.settings import Settings, load_settings
from propsync_sandbox import Sandbox


@pytest.fixture
def settings(tmp_path: Path) -> Iterator[Settings]:
    with Sandbox(scale=20) as sandbox:
        named = {"BASE_URL": sandbox.base_url, "TOKEN": sandbox.token, "HOME": str(tmp_path / "home")}
        yield load_settings(environ={f"PROPSYNC_{name}": value for name, value in named.items()})


@pytest.mark.parametrize("error", [MergeFailed("documents", "no memory left"), DiskFull("archive", "the disk is full")])
def test_what_ends_the_archive_leaves_the_tables_published(settings: Settings, monkeypatch, error: PropsyncError):
    def fails(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(sys.modules["propsync.runbooks.night"], "archived", fails)
    report = night(settings)
    assert (report.status, report.exit_code) == ("attention", 3)
    assert report.published is not None
    assert [line for line in report.left_behind if line.startswith("documents: ") and error.what in line]


def test_progress_is_told_the_bytes_that_came(settings: Settings, monkeypatch):
    told: list[tuple[float, int]] = []

    class Bar:
        total = None

        def advance(self, n: float = 1, size: int = 0) -> None:
            told.append((n, size))

    @contextmanager
    def progress(*_: object) -> Iterator[Bar]:
        yield Bar()

    night(settings.model_copy(update={"archive_kinds": ()}))
    monkeypatch.setattr(sys.modules["propsync.runbooks.archive"], "progress", progress)
    report = archive(settings)
    assert len(told) == report.counts["stored"] > 0
    assert sum(size for _, size in told) == report.counts["bytes"] > 0


def test_an_archive_after_a_sync_that_died_before_its_tables_publishes_both_or_neither(tmp_path: Path, monkeypatch):
    with Sandbox(scale=40) as sandbox:
        named = {"BASE_URL": sandbox.base_url, "TOKEN": sandbox.token, "HOME": str(tmp_path / "home")}
        settings = load_settings(environ={f"PROPSYNC_{name}": value for name, value in named.items()})
        night(settings)
        sandbox.night()
        with monkeypatch.context() as dying:
            dying.setattr(ResourceSync, "build", dies)
            with pytest.raises(KeyboardInterrupt):
                nightly(settings)
        archive(settings)
    with propsync.open(settings.published / "warehouse.duckdb") as data:
        for table, key in (("assets", "asset_id"), ("assessments", "assessment_id")):
            current = (
                f"select {key} as key, record_hash from history.{table} where valid_to is null and change <> 'delete'"
            )
            apart = f"from ({current}) as one full join {table} as other on one.key = other.{key}"
            differing = f"select count(*) {apart} where one.key is null or other.{key} is null"
            assert data.rows(differing)[1] == [(0,)]
            newest = f"select (select max(valid_from) from history.{table}) = (select max(changed_at) from {table})"
            assert data.rows(newest)[1] == [(True,)]


def dies(*_: object) -> None:
    raise KeyboardInterrupt


def test_a_rebuild_tells_what_is_lacking(settings: Settings):
    night(settings)
    with propsync.open(settings.published / "warehouse.duckdb") as data:
        before = data.rows("from marts.document_coverage order by all")[1]
    bundles = replaced(settings, archive_kinds="report,bundle", archive_statuses="approved,submitted")
    rebuild(bundles)
    with propsync.open(settings.published / "warehouse.duckdb") as data:
        lacking = data.rows("from marts.document_coverage order by all")[1]
        submitted = data.rows("select count(*) from assessments where status = 'submitted'")[1][0][0]
    assert submitted > 0
    assert len(lacking) == len(before) + 2 * submitted


def replaced(settings: Settings, **given: str) -> Settings:
    assert settings.token is not None
    named = {"base_url": settings.base_url, "token": settings.token.get_secret_value(), "home": settings.home} | given
    return load_settings(environ={f"PROPSYNC_{name.upper()}": str(value) for name, value in named.items()})
