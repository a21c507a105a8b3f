"""Bundle tables as people get them: usual columns always there and filled, whatever a bundle brings."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from contract.test_archive import zipped
from kit.archives import SMALL, Place, place

from propsync_sandbox.documents import Subject

USUAL = {
    "bundle_actions": "id reference title priority status due_date responsible cost image",
    "bundle_controls": "id name in_place effectiveness comment",
    "bundle_elements": "id name location condition quantity photo",
}


class Shelf:
    """Writes bundles; `hostile` are the assessments whose bundle has a thousand columns."""

    def __init__(self) -> None:
        self.hostile: set[str] = set()

    def __call__(self, about: Subject) -> bytes:
        key = str(about.record.key)
        names = [f"c{number}" for number in range(1_000)] if key in self.hostile else ["Reference", "Priority", "Owner"]
        lines = [",".join(names), ",".join(f"{name} of {key}" for name in names)]
        return zipped({"actions.csv": "\r\n".join(lines).encode("utf-16"), "controls.csv": bytes(range(256)) * 9})


@pytest.fixture
def shelf() -> Shelf:
    return Shelf()


@pytest.fixture
def made(synced_small: Path, tmp_path: Path, shelf: Shelf) -> Iterator[Place]:
    with place(tmp_path / "home", synced_small, {"bundle": shelf}, scale=SMALL) as made:
        yield made


@pytest.mark.slow
def test_a_home_without_bundles_has_their_tables_with_usual_columns(made: Place) -> None:
    for table, usual in USUAL.items():
        names = ["assessment_id", "document_sha256", "row_number", *usual.split(), "further"]
        described = made.rows(f"select column_name, column_type from (describe {table})")
        assert [name for name, _ in described] == names
        assert {kind for name, kind in described if name in usual.split()} == {"VARCHAR"}
        assert made.rows(f"select count(*) from {table}") == [(0,)]
        parquet = made.path / "published" / "parquet" / "main" / f"{table}.parquet"
        assert made.rows(f"select count(*) from read_parquet('{parquet}')") == [(0,)]
    command = [str(Path(sys.executable).with_name("propsync")), "query", "--tables"]
    environ = {"PROPSYNC_HOME": str(made.path), "PATH": "/usr/bin:/bin"}
    told = subprocess.run(command, env=environ, capture_output=True, text=True, check=True).stdout
    assert all(table in told for table in USUAL)


@pytest.mark.release
@pytest.mark.parametrize("first", ["hostile", "ordinary"])
def test_a_thousand_columns_of_one_bundle_take_none_from_another(made: Place, shelf: Shelf, first: str) -> None:
    bad, *good = made.wanted()
    if first == "hostile":
        shelf.hostile.add(bad)
        made.archive(kinds=["bundle"], properties=[str(made.sandbox.world.assessments.get(bad).property)])
    made.archive(kinds=["bundle"])
    if first == "ordinary":
        shelf.hostile.add(bad)
        made.edit(bad)
        made.sync()
        made.archive(kinds=["bundle"])
    query = "select assessment_id, reference, priority, owner from bundle_actions where further is null order by 1"
    assert made.rows(query) == [
        (key, *(f"{name} of {key}" for name in ("Reference", "Priority", "Owner"))) for key in sorted(good)
    ]
    own = f"select c0, further->>'c999' from bundle_actions where assessment_id = '{bad}'"
    assert made.rows(own) == [(f"c0 of {bad}", f"c999 of {bad}")]
    issues = "select record_id, name from ops.value_issues where resource = 'documents' and name like 'bundle_actions%'"
    assert made.rows(issues) == [(bad, "bundle_actions.further")]
    refused = "select distinct name, refused is not null, sha256 from bundle_members where name like 'controls%'"
    assert made.rows(refused) == [("controls.csv", True, None)]
    if first == "ordinary":
        _check_that_a_rebuild_and_another_reading_give_the_same(made)


def _check_that_a_rebuild_and_another_reading_give_the_same(made: Place) -> None:
    names = ("bundle_actions", "bundle_members", "ops.value_issues")
    before = [made.rows(f"from {name} order by all") for name in names]
    made.rebuild()
    assert [made.rows(f"from {name} order by all") for name in names] == before
    made.in_state("update documents set read_at = null")
    made.archive()
    assert [made.rows(f"from {name} order by all") for name in names[:2]] == before[:2]


def test_a_csv_whose_quote_never_closes_is_named_and_costs_no_other_csv(synced_small: Path, tmp_path: Path) -> None:
    actions = b'Id,Title\r\n1,a door\r\n2,"another\r\n3,a third\r\n'
    torn = zipped({"actions.csv": actions, "controls.csv": b"Id\r\n1\r\n"})
    with place(tmp_path / "home", synced_small, {"bundle": lambda _: torn}, scale=SMALL) as made:
        made.archive(kinds=["bundle"], limit=1)
        assert made.rows("select id, title from bundle_actions order by row_number") == [
            ("1", "a door"),
            ("2", "another\r\n3,a third\r\n"),
        ]
        assert made.rows("select id from bundle_controls") == [("1",)]
        told = "select name, issue, value from ops.value_issues where resource = 'documents'"
        why = "a quote in actions.csv never closes, so one cell has the rest of the CSV"
        assert made.rows(told) == [("bundle_actions", "the table lacks rows of the CSV", why)]

        made.in_state("update documents set read_at = null")
        made.archive(kinds=["bundle"], limit=1)
        assert made.rows(f"select count(*) from ({told})") == [(2,)]  # the limit let a second bundle come


@pytest.mark.parametrize(
    ("members", "value"),
    [
        ({"Sheet1.csv": b"Id,Title\r\n1,a door\r\n"}, "Sheet1.csv"),
        ({"csv\\actions.csv": b"Id\r\n1\r\n"}, "csv\\actions.csv: its name has a backslash"),
        (
            {"actions.csv": b"Id\r\n1\r\n", "Actions.csv": b"Id\r\n2\r\n"},
            "Actions.csv: another member has nearly its name",
        ),
    ],
)
def test_bundles_without_a_csv_that_propsync_reads_are_reported_and_do_not_look_clean(
    synced_small: Path, tmp_path: Path, members: dict[str, str | bytes], value: str
) -> None:
    with place(tmp_path / "home", synced_small, {"bundle": lambda _: zipped(members)}, scale=SMALL) as made:
        told = made.archive(kinds=["bundle"], limit=3)
        (line,) = told.left_behind
        assert line.startswith("propsync reads no rows of bundle_actions")
        assert line.endswith("from the newest 3 bundles: ops.value_issues says why")
        assert told.exit_code == 3
        issues = "select distinct value from ops.value_issues where resource = 'documents' and name = 'bundle_actions'"
        assert made.rows(issues) == [(value,)]
        unread = "select sum(approved_without_bundle) from marts.properties"
        assert made.rows(unread) == made.rows("select sum(approved_assessments) from marts.properties")


def test_actions_under_an_unknown_name_beside_known_csvs_do_not_look_like_none(
    synced_small: Path, tmp_path: Path
) -> None:
    members: dict[str, str | bytes] = {
        "data/controls.csv": b"Id\r\n1\r\n",
        "data/recommendations.csv": b"Id\r\n1\r\n",
        "files/readings.csv": b"a\r\n",
    }
    with place(tmp_path / "home", synced_small, {"bundle": lambda _: zipped(members)}, scale=SMALL) as made:
        told = made.archive(kinds=["bundle"], limit=3)
        assert told.left_behind == [
            "propsync reads no rows of bundle_actions from the newest 3 bundles: ops.value_issues says why"
        ]
        issues = "select distinct name, issue, value from ops.value_issues where resource = 'documents'"
        why = "propsync found no such CSV in the bundle"
        assert made.rows(issues) == [("bundle_actions", why, "data/recommendations.csv")]
        unread = "select sum(approved_without_bundle) from marts.properties"
        assert made.rows(unread) == made.rows("select sum(approved_assessments) from marts.properties")


def test_an_attachment_that_is_an_archive_or_has_a_twin_costs_no_action(synced_small: Path, tmp_path: Path) -> None:
    members: dict[str, str | bytes] = {
        "actions.csv": b"Id\r\n1\r\n",
        "files/photos.zip": zipped({"a.txt": b"a"}),
        "x.JPG": b"1",
        "X.jpg": b"2",
        "image.jpg": b"1",
    }
    bundle = zipped(members, ("image.jpg", b"2"), ("actions.csv", b"Id\r\n1\r\n"))
    with place(tmp_path / "home", synced_small, {"bundle": lambda _: bundle}, scale=SMALL) as made:
        assert made.archive(kinds=["bundle"], limit=3).exit_code == 0
        assert made.rows("select id, count(*) from bundle_actions group by id") == [("1", 3)]
        assert made.rows("select count(*) from bundle_members where name = 'actions.csv'") == [(1,)]
        assert made.rows("select name, refused from bundle_members where sha256 is null order by name") == [
            ("X.jpg", "another member has nearly its name"),
            ("files/photos.zip", "it is an archive itself"),
            ("image.jpg", "another member has its name"),
            ("image.jpg", "another member has its name"),
            ("x.JPG", "another member has nearly its name"),
        ]


@pytest.mark.release
def test_bundles_that_an_older_propsync_read_are_read_again_after_a_rebuild(made: Place) -> None:
    made.archive(kinds=["bundle"])
    before = made.rows("select * exclude (row_number) from bundle_actions order by all")
    made.in_state("alter table bundle_actions drop column further")
    made.in_state("alter table bundle_actions add column further varchar")
    made.in_state("update bundle_actions set further = 'older', reference = null")
    made.in_state("update ops.schema_version set version = 4")
    assert made.rebuild().exit_code == 0
    assert made.rows("select distinct further->>'$' from bundle_actions") == [("older",)]
    made.archive(kinds=["bundle"])
    assert made.rows("select * exclude (row_number) from bundle_actions order by all") == before


@pytest.mark.parametrize(
    "members",
    [
        {"report.pdf": b"%PDF-1.4"},
        {"actions.csv": b"Id\r\n1\r\n", "notes.csv": b"a\r\n"},
        {"controls.csv": b"Id\r\n1\r\n", "files/readings.csv": b"a\r\n"},
    ],
)
def test_bundles_that_leave_csvs_out_are_not_left_behind(
    synced_small: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture, members: dict[str, str | bytes]
) -> None:
    with place(tmp_path / "home", synced_small, {"bundle": lambda _: zipped(members)}, scale=SMALL) as made:
        assert made.archive(kinds=["bundle"], limit=3).exit_code == 0
        lacks_all = "report.pdf" in members
        assert ("propsync reads no rows of bundle_actions" in caplog.text) == lacks_all
        unread = "select count(distinct record_id) from ops.value_issues where resource = 'documents'"
        assert made.rows(unread) == [(3 if lacks_all else 0,)]
