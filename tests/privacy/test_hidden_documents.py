"""Documents of hidden types: nothing published has their contents, and the years of documents count for them too."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from kit.archives import SMALL, Place, place

from propsync.cli.archive import print_export
from propsync.runbooks.archiving.export import export

pytestmark = pytest.mark.slow
CONTENTS = ("bundle_actions", "bundle_controls", "bundle_elements", "history.bundle_actions", "marts.actions")
OLDER = "valid_from = valid_from - to_years(9)"


class Hidden:
    """A home that hides a type of assessment, whose assessment `gone` the service deletes; `over` goes over to it."""

    def __init__(self, at: Place) -> None:
        self.at, self._assessments = at, at.sandbox.world.assessments
        of_type = {str(one.key): str(one.type) for one in self._assessments.records() if one.status == "approved"}
        self.types = of_type
        self.gone = next(iter(of_type))
        self.type = of_type[self.gone]
        self.over, self._shown = next((key, one) for key, one in of_type.items() if one != self.type)
        at.has_desk = True
        (at.path / "propsync.toml").write_text(f'[privacy]\nhide = ["type:{self.type}"]\n')
        at.night()

    def cross(self) -> None:
        """To people, the assessment is deleted."""
        self._assessments.change_type(self.over, self.type)
        self._assessments.delete(self.gone)
        assert self.at.sync(delete_limit=1).exit_code == 0

    def come_back(self) -> None:
        self._assessments.change_type(self.over, self._shown)
        self.at.night()

    def contents(self) -> dict[str, int]:
        """How many rows each table has of the documents of the assessment that goes over."""
        count = f"select count(*) from {{}} where assessment_id = '{self.over}'"
        return {table: self.at.rows(count.format(table))[0][0] for table in CONTENTS}

    def years_pass(self) -> None:
        """Makes all versions of both assessments older."""
        [second_file] = (self.at.path / "state").glob("hidden-*.duckdb")
        with duckdb.connect(second_file) as connection:
            connection.execute(f"update records set {OLDER} where key_1 in ('{self.gone}', '{self.over}')")
        self.at.in_state(f"update history.assessments set {OLDER} where assessment_id = '{self.over}'")

    def states(self, key: str) -> list[str]:
        return self.at.column(f"select distinct state from documents where assessment_id = '{key}'")


@pytest.fixture
def hidden(archived_small: Path, tmp_path: Path) -> Iterator[Hidden]:
    with place(tmp_path / "home", archived_small, scale=SMALL) as at:
        yield Hidden(at)


def test_contents_go_with_an_assessment_that_goes_over_to_a_hidden_type(hidden: Hidden) -> None:
    before = hidden.contents()
    assert min(before["bundle_actions"], before["marts.actions"]) > 0
    hidden.cross()
    assert hidden.contents() == dict.fromkeys(CONTENTS, 0)
    hidden.come_back()
    after = hidden.contents()
    assert min(after["bundle_actions"], after["marts.actions"]) > 0


def test_years_of_documents_count_from_a_true_delete(hidden: Hidden) -> None:
    hidden.cross()
    hidden.years_pass()
    assert hidden.at.archive(archive_keep_years=7).counts["removed"] == 2
    assert hidden.states(hidden.gone) == ["removed"]
    assert hidden.states(hidden.over) == ["stored"]


def test_a_bag_has_no_document_of_a_hidden_type(
    hidden: Hidden, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    at = hidden.at
    report = export(at.settings(), tmp_path / "bag")
    of_type = {one for one, kind in hidden.types.items() if kind == hidden.type}
    found = {path.parent.name for path in (tmp_path / "bag").glob("data/*/*/*")}
    assert found
    assert not found & of_type
    assert (report.exit_code, report.left_out) == (0, [])
    count = len(at.rows(f"from documents where state = 'stored' and assessment_id in {tuple(sorted(of_type))!r}"))
    assert report.hidden == count
    print_export(report, as_json=False)
    assert f"In no bag: documents of types that [privacy] hides, {count} of all properties" in capsys.readouterr().out
    assert f"{count} of hidden types" in (tmp_path / "bag/bag-info.txt").read_text().replace("\n", "").replace(
        "  ", " "
    )
    (at.path / "propsync.toml").write_text("[privacy]\nhide = []\n")
    at.sync()
    assert export(at.settings(), tmp_path / "all").documents == report.documents + count
