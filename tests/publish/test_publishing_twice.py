"""A run that publishes what earlier runs left, and then its own changes, leaves all files with the same rows."""

from __future__ import annotations

from typing import Any

import pytest
from kit.delta import read_delta
from kit.small_api import SmallHome, asset

from propsync.publish import Publisher


def _prepared(home: SmallHome) -> SmallHome:
    """The next run builds all tables again first: the assessments came under another name after the assets."""
    assert home.sync().exit_code == 0
    listed = home.server.listed
    home.server.listed = lambda query: _renamed(listed(query))  # type: ignore[method-assign]
    assert home.sync().exit_code == 0
    home.server.assets.append(asset("new"))
    return home


def _renamed(page: dict[str, Any]) -> dict[str, Any]:
    return {"total": page["total"], "items": page["assessments"]}


def _counts(home: SmallHome) -> set[int]:
    names = ("parquet/main/assets", "flat/main/assets", "parquet/by_type/doors", "flat/by_type/doors")
    tables = ["assets", *(f"'{home.published.parent}/{name}.parquet'" for name in names)]
    return {home.rows(f"select count(*) from {table}")[0][0] for table in tables}


@pytest.mark.slow
def test_changes_of_a_run_that_has_published_before_are_in_each_file(
    small_nights: SmallHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = _prepared(small_nights)
    ends: list[bool] = []
    publish = Publisher.publish

    def counted(self: Publisher, *given: Any, has_ended: bool = True) -> list[str]:
        ends.append(has_ended)
        return publish(self, *given, has_ended=has_ended)

    monkeypatch.setattr(Publisher, "publish", counted)
    assert home.sync().exit_code == 0
    assert ends == [False, True]
    assert _counts(home) == {7}
    assert "through" not in home.note()


@pytest.mark.slow
def test_a_run_that_dies_after_it_published_for_earlier_ones_leaves_its_changes_to_the_next(
    small_nights: SmallHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    def dies(*_: object) -> None:
        raise KeyboardInterrupt

    small_nights.usual["delta"] = "main"
    home = _prepared(small_nights)
    with monkeypatch.context() as patched:
        patched.setattr("propsync.runbooks.run_frame._publish", dies)
        with pytest.raises(KeyboardInterrupt):
            home.sync()
    assert _counts(home) == {6}
    report = home.sync(only=["schedules"])
    assert (report.exit_code, report.notes) == (0, [])
    assert _counts(home) == {7}
    assert len(read_delta(home.published.parent / "delta/main/assets")) == 7
    assert "through" not in home.note()
