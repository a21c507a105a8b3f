"""Unfinished documents of killed runs go; those of a run at work stay."""

from __future__ import annotations

from pathlib import Path

from kit.home import Home

from propsync.runbooks.archiving.lock import archive_lock, without_partials


def test_files_of_killed_runs_go_unless_a_run_on_documents_is_at_work(tmp_path: Path) -> None:
    settings = Home(tmp_path / "home").settings()
    with archive_lock(settings, "a run on documents") as folder:
        under_way = folder / "a.pdf.partial"
        under_way.touch()
        with without_partials(settings, "an erasure") as is_clear:
            assert not is_clear
        assert under_way.exists()
    with without_partials(settings, "an erasure") as is_clear:
        assert is_clear
        assert not under_way.exists()
