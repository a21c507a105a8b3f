"""Documents beside a nightly run: what becomes of them is told, and never makes less of the tables."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from propsync.errors import DiskFull, MergeFailed, PropsyncError
from propsync.runbooks import archive, night
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
