"""A run's report on terminals of several widths."""

from __future__ import annotations

import sys

import pytest

from propsync.cli.report import print_counts
from propsync.runbooks import Report

_COUNTS = ("fetched", "inserted", "updated", "unchanged", "deleted", "held", "rejected")


def _printed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], width: int, **counts: int
) -> list[str]:
    row = {"verdict": "certified", **dict.fromkeys(_COUNTS, 0), **counts}
    resources = dict.fromkeys(("asset_types", "assets", "assessment_types", "assessments", "schedules"), row)
    with monkeypatch.context() as patch:
        patch.setattr(sys.stdout, "isatty", lambda: True)
        patch.setenv("COLUMNS", str(width))
        print_counts(Report("20260701T023000000000Z", "ok", 1.0, resources, [], "published"))
    return capsys.readouterr().out.splitlines()


def test_a_narrow_terminal_gets_no_column_of_noughts_and_a_line_that_names_them(monkeypatch, capsys):
    lines = _printed(monkeypatch, capsys, 60, fetched=40_000, unchanged=39_997, updated=3)
    assert max(map(len, lines)) <= 60
    assert lines[0].split() == ["resource", "read", "seen", "changed", "same"]
    assert lines[3].split() == ["assets", "completely", "40000", "3", "39997"]
    assert lines[-1] == "All 0: new, gone, held, rejected"
    assert len(lines) == 8


def test_no_count_is_left_out_because_a_terminal_is_narrow(monkeypatch, capsys):
    lines = _printed(monkeypatch, capsys, 60, **{name: number for number, name in enumerate(_COUNTS, 1)})
    assert [line.split()[-1] for line in lines[2:9]] == ["1", "2", "3", "4", "5", "6", "7"]


def test_a_wide_terminal_gets_every_column(monkeypatch, capsys):
    assert _printed(monkeypatch, capsys, 80, fetched=4)[0].split()[-3:] == ["gone", "held", "rejected"]


def test_a_run_that_read_no_resource_has_no_line_of_noughts(monkeypatch, capsys):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "40")
    print_counts(Report("20260701T023000000000Z", "ok", 1.0, {}, [], "published"))
    assert "All 0" not in capsys.readouterr().out
