"""`propsync status` counts the accepted posts that no run has taken in yet."""

from __future__ import annotations

import pytest
from kit.hint_home import HintHome, assessment_hint

from propsync.cli.status.command import print_status


def test_status_counts_posts_until_a_run_takes_them_in(home: HintHome, capsys: pytest.CaptureFixture[str]) -> None:
    def told() -> str:
        print_status(home.settings(), None, as_json=False)
        return capsys.readouterr().out

    assert "posts that no run" not in told()
    home.hint(assessment_hint("A1"))
    home.post(b"[]", b"{}")
    assert "0 waiting; posts that no run has taken in yet: 3\n" in told()
    home.read()
    assert "posts that no run" not in told()
