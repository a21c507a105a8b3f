"""A mistake in people's own lists never stops a sync: the last good list stays, with file, line and reason."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from variants import some

GOOD = "property_id,name\np1,Old Mill\np2,Café\n"
LISTED = [{"property_id": "p1", "name": "Old Mill"}, {"property_id": "p2", "name": "Café"}]


@pytest.fixture
def lists(synced: Path) -> Path:
    """A home whose settings name a list that does not exist yet."""
    (synced / "propsync.toml").write_text('[reference]\nproperties = "p.csv"\n')
    return synced


def rows(propsync: Any, sql: str) -> list[dict[str, Any]]:
    done = propsync("query", sql, "--format", "json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def issues(propsync: Any) -> list[tuple[Any, ...]]:
    found = rows(
        propsync, "select list, line, record_id, issue from ops.reference_issues where is_mistake order by all"
    )
    return [tuple(one.values()) for one in found]


@pytest.mark.release
def test_the_last_good_list_stays_whatever_becomes_of_the_file(propsync, lists):
    (lists / "p.csv").write_bytes(GOOD.replace(",", ";").encode("windows-1252"))
    assert propsync("sync").returncode == 0
    assert rows(propsync, "from properties order by 1") == LISTED
    (lists / "p.csv").write_text("property_id,name\np1,One\np2,Two\np1,Uno\np1,Un\n")
    done = propsync("sync", "--json")
    assert done.returncode == 3
    report = json.loads(done.stdout)
    assert report["status"] == "attention"
    assert report["left_behind"] == [
        f"the list properties stays as it was: {lists / 'p.csv'} line 4: property_id p1 appears more than once, first "
        "in line 2, and 1 more in ops.reference_issues. Correct the list; the next sync reads it"
    ]
    assert [one[1:3] for one in issues(propsync)] == [(4, "p1"), (5, "p1")]
    assert rows(propsync, "from properties order by 1") == LISTED
    assert f"BAD  list properties: {lists / 'p.csv'} line 4" in propsync("doctor").stdout

    (lists / "p.csv").unlink()
    done = propsync("rebuild")
    assert (done.returncode, "there is no such file" in done.stdout + done.stderr) == (3, True)
    assert rows(propsync, "from properties order by 1") == LISTED
    comments = "select comment from duckdb_tables() where schema_name = 'main' and table_name = 'properties'"
    assert rows(propsync, comments) == [{"comment": "From p.csv, your own list"}]
    assert (lists / "published" / "parquet" / "main" / "properties.parquet").exists()

    (lists / "p.csv").write_text("property_id,name\np3,Three\n")
    assert propsync("sync").returncode == 0
    assert rows(propsync, "from properties") == [{"property_id": "p3", "name": "Three"}]
    assert issues(propsync) == []
    assert "list properties: 1 rows in" in propsync("doctor").stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("settings", "said"),
    some(
        [
            ('properties = "none.csv"', "none.csv: there is no such file"),
            ('properties = ""', "it is not a file"),
            ("properties = 5", "5: there is no such file"),
            ('properties = ["p.csv"]', "there is no such file"),
            ('properties = "a\\u0000b"', "a character that a path cannot hold"),
            ('properties = "~nobody-of-that-name/p.csv"', "there is no such file"),
            ('assets = "p.csv"', "propsync has a table of that name itself"),
            ('"My list" = "p.csv"', "cannot be the name of a table; write my_list"),
        ],
        4,
    ),
)
def test_no_mistake_in_the_setting_stops_a_sync(propsync, lists, settings, said):
    (lists / "p.csv").write_text(GOOD)
    (lists / "propsync.toml").write_text(f"[reference]\n{settings}\n")
    done = propsync("sync", "--json", "--only", "schedules", "--no-archive")
    assert done.returncode == 3, done.stderr
    (line,) = json.loads(done.stdout)["left_behind"]
    assert "does not exist yet: " in line
    assert said in line
    assert len(issues(propsync)) == 1


@pytest.mark.release
def test_ids_that_only_the_list_or_only_the_api_has_are_listed_and_leave_nothing_behind(propsync, lists):
    (lists / "p.csv").write_text(GOOD)
    (lists / "users.csv").write_text("user_id\nnobody\n")
    (lists / "c.csv").write_text("trade,phone\ngas,12\ngas,24\n")
    named = '[reference]\nproperties = "p.csv"\nusers = "users.csv"\ncontractors = "c.csv"\n'
    (lists / "propsync.toml").write_text(named)
    assert propsync("sync").returncode == 0
    only_list = "select list, record_id from ops.reference_issues where issue like 'only the list%' order by all"
    assert [tuple(one.values()) for one in rows(propsync, only_list)] == [
        ("properties", "p1"),
        ("properties", "p2"),
        ("users", "nobody"),
    ]
    only_api = (
        "select count(*) as n from ops.reference_issues where list = 'properties' and issue like 'only the API%' "
        "and record_id in (select property_id from assets) and not is_mistake"
    )
    properties = rows(propsync, "select count(distinct property_id) as n from assets")
    assert rows(propsync, only_api) == properties
    assert rows(propsync, "select count(*) as n from contractors") == [{"n": 2}]


@pytest.mark.release
def test_an_id_that_excel_shortened_leaves_the_list_as_it_was(propsync, lists):
    (lists / "p.csv").write_text(GOOD)
    assert propsync("sync").returncode == 0
    (lists / "p.csv").write_text("property_id,name\n1.2E+12,x\n")
    assert propsync("sync").returncode == 3
    assert [one[1:3] for one in issues(propsync)] == [(2, "1.2E+12")]
    assert rows(propsync, "from properties order by 1") == LISTED
