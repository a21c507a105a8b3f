"""Servers that answer oddly, from one night to the next: what is known stays right, and one trouble stays one."""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import duckdb
import pytest

from propsync.api import RetryPolicy
from propsync.landing.seals import sealed
from propsync.runbooks import Report, nightly
from propsync.settings import load_settings

DOOR = {"id": "t1", "name": "Doors", "fields": [{"id": "f1", "type": "text", "label": "Name"}]}
LIFT = {"id": "t2", "name": "Lifts", "fields": [{"id": "f2", "type": "number", "label": "Load"}]}


def asset(key: str, **members: Any) -> dict[str, Any]:
    results = [{"type": "text", "field": "f1", "value": f"door {key}"}]
    return {"id": key, "property": "p1", "type": "t1", "fields": results} | members


def assessment(key: str, **members: Any) -> dict[str, Any]:
    return {"id": key, "property": "p1", "type": "k1", "status": "approved"} | members


class Server:
    """An API of a few records, which tests change between nights; `answer` may answer a path otherwise."""

    def __init__(self) -> None:
        self.types: Any = [DOOR]
        self.assets = [asset(f"a{number}") for number in range(6)]
        self.assessments = [assessment(f"s{number}") for number in range(4)]
        self.answer: Callable[[str, dict[str, str]], tuple[int, Any] | None] = lambda path, query: None

    def body(self, path: str, query: dict[str, str]) -> Any:
        if path == "/properties/assets/types":
            return {"type": self.types}
        if path == "/properties/assets":
            return {"total": len(self.assets), "assets": self.assets, "types": self.types}
        if path == "/assessments/types":
            return {"types": [{"id": "k1", "name": "Fire risk"}]}
        if path == "/assessments":
            return self.listed(query)
        return {"total": 0, "schedules": []}

    def listed(self, query: dict[str, str]) -> Any:
        asked = query["status"].split(",")
        is_shown = "For" in query["performed"]
        shown = [one for one in self.assessments if one.get("status", one.get("hidden")) in asked] if is_shown else []
        told = [{name: value for name, value in one.items() if name != "hidden"} for one in shown]
        limit = int(query["limit"])
        return {"total": len(told), "assessments": told[:limit]}


class Nights:
    """A server and a home; `sync` is one night."""

    def __init__(self, server: Server, url: str, home: Path) -> None:
        self.server = server
        environ = {"PROPSYNC_BASE_URL": url, "PROPSYNC_TOKEN": "secret-of-the-test", "PROPSYNC_HOME": str(home)}
        self.settings = load_settings(environ=environ)

    def sync(self) -> Report:
        return nightly(self.settings, policy=RetryPolicy(attempts=3, base=0.01, cap=0.02))

    def rows(self, query: str) -> list[Any]:
        with duckdb.connect(self.settings.published / "warehouse.duckdb", read_only=True) as published:
            return published.execute(query).fetchall()


@pytest.fixture
def nights(tmp_path: Path) -> Iterator[Nights]:
    server = Server()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            url = urlsplit(self.path)
            query = {name: values[0] for name, values in parse_qs(url.query).items()}
            status, body = server.answer(url.path, query) or (200, server.body(url.path, query))
            text = body if isinstance(body, bytes) else json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *words: Any) -> None:
            """Nothing is told of requests."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as listener:
        thread = threading.Thread(target=listener.serve_forever, daemon=True)
        thread.start()
        yield Nights(server, f"http://127.0.0.1:{listener.server_address[1]}", tmp_path / "home")
        listener.shutdown()
        thread.join()


def test_a_record_nested_too_deep_is_set_aside_and_costs_no_other(nights: Nights):
    deep: Any = "bottom"
    for _ in range(200):
        deep = [deep]
    nights.server.assets.append(asset("deep", more=deep))
    assert nights.sync().exit_code == 0
    assert nights.rows("select count(*) from assets") == [(6,)]
    assert nights.rows("select reason from ops.rejected_records") == [("nested too deep to be read",)]
    assert nights.sync().exit_code == 0


def test_brackets_inside_texts_are_no_depth(nights: Nights):
    nights.server.assets.append(asset("art", note='[{"' * 200))
    assert nights.sync().resources["assets"]["inserted"] == 7


def test_types_beside_the_assets_that_are_no_list_are_no_types(nights: Nights):
    nights.server.answer = lambda path, query: (
        (200, {"total": 6, "assets": nights.server.assets, "types": {}}) if path == "/properties/assets" else None
    )
    assert nights.sync().exit_code == 0
    assert nights.rows("select name, is_listed from asset_types") == [("Doors", True)]


def test_a_status_that_records_carry_no_more_is_told_by_their_lists(nights: Nights):
    assert nights.sync().exit_code == 0
    for one in nights.server.assessments:
        one["hidden"] = one.pop("status")
    nights.server.assessments[0]["hidden"] = "submitted"
    assert nights.sync().exit_code == 0
    assert nights.rows("select status, count(*) from assessments group by all order by all") == [
        ("approved", 3),
        ("submitted", 1),
    ]


def test_an_id_that_turns_out_to_be_none_merges_no_records(nights: Nights):
    nights.server.assessments = [{"aaa": "x", "zzz": "n1", "status": "approved"}]
    assert nights.sync().exit_code == 0
    nights.server.assessments = [{"aaa": "x", "zzz": f"n{number}", "status": "approved"} for number in range(6)]
    report = nights.sync()
    assert report.exit_code == 3
    assert "Name the id in propsync.toml" in report.left_behind[0]
    assert nights.rows("select count(*) from history.assessments") == [(1,)]


def test_a_status_that_is_shown_in_another_spelling_is_not_asked_for(nights: Nights):
    def strict(path: str, query: dict[str, str]) -> tuple[int, Any] | None:
        if path == "/assessments" and set(query["status"].split(",")) - {"inprogress", "submitted", "approved"}:
            return 400, {"code": "StatusInvalid"}
        return None

    nights.server.answer = strict
    nights.server.listed = (
        lambda query: {  # type: ignore[method-assign]  # it shows what it takes in small letters
            "total": 4 if "For" in query["performed"] else 0,
            "assessments": [one | {"status": "Approved"} for one in nights.server.assessments][: int(query["limit"])]
            if "For" in query["performed"]
            else [],
        }
    )
    assert nights.sync().exit_code == 0
    assert nights.sync().exit_code == 0


def test_a_status_that_the_api_shows_and_refuses_is_not_insisted_on(nights: Nights):
    assert nights.sync().exit_code == 0
    nights.server.assessments.append(assessment("odd", status="approved"))
    odd = nights.server.listed

    def shows_archived(query: dict[str, str]) -> Any:
        page = odd(query)
        page["assessments"] = [
            one | ({"status": "archived"} if one["id"] == "odd" else {}) for one in page["assessments"]
        ]
        return page

    nights.server.listed = shows_archived  # type: ignore[method-assign]  # what this test is about
    assert nights.sync().exit_code == 0
    nights.server.answer = lambda path, query: (
        (400, {"code": "StatusInvalid"}) if "archived" in query.get("status", "") else None
    )
    assert nights.sync().exit_code == 0
    assert nights.rows("select count(*) from assessments") == [(5,)]


def test_a_table_is_named_for_its_type_once_that_is_known(nights: Nights):
    nights.server.answer = lambda path, query: (
        (503, {})
        if path == "/properties/assets/types"
        else ((200, {"total": 6, "assets": nights.server.assets}) if path == "/properties/assets" else None)
    )
    assert nights.sync().exit_code == 3
    nights.server.answer = lambda path, query: None
    assert nights.sync().exit_code == 0
    by_type = "select table_name from duckdb_tables() where schema_name = 'by_type'"
    assert nights.rows(by_type) == [("doors",)]
    assert nights.rows("select count(name) from by_type.doors") == [(6,)]


def test_a_landed_snapshot_whose_pages_are_lost_stops_no_run(nights: Nights):
    assert nights.sync().exit_code == 0
    (nights.settings.state / "warehouse.duckdb").unlink()
    shutil.rmtree(nights.settings.published)  # it would have the history that no page tells any more
    for page in (nights.settings.landing / "pages").rglob("*"):
        if page.is_file():
            page.unlink()
    assert nights.sync().exit_code == 0
    assert nights.rows("select count(*) from assets") == [(6,)]


def test_a_list_of_types_that_says_nothing_unlists_none(nights: Nights):
    assert nights.sync().exit_code == 0
    nights.server.answer = lambda path, query: (
        (200, {"total": 0, "message": "maintenance"}) if path == "/properties/assets/types" else None
    )
    assert nights.sync().exit_code == 3
    assert nights.rows("select is_listed from asset_types") == [(True,)]


def test_a_bare_list_that_repeats_its_last_page_for_ever_ends(nights: Nights):
    def for_ever(path: str, query: dict[str, str]) -> tuple[int, Any] | None:
        if path != "/properties/assets":
            return None
        return 200, nights.server.assets[:3] if query["page"] == "1" else nights.server.assets[3:]

    nights.server.answer = for_ever
    report = nights.sync()
    assert report.exit_code == 3
    assert nights.rows("select count(*) from assets") == [(6,)]


def test_a_clock_set_back_after_the_state_was_lost_tears_no_history(nights: Nights):
    first = nights.sync()
    (nights.settings.state / "warehouse.duckdb").unlink()
    shutil.rmtree(nights.settings.published)
    later = nights.settings.landing / "assets" / "29991231T000000000000Z"
    (nights.settings.landing / "assets" / first.run_id).rename(later)
    manifest = json.loads((later / "manifest.json").read_text())
    manifest |= {"run_id": later.name, "run_time": "2999-12-31T00:00:00.000000+00:00"}
    del manifest["seal"]
    (later / "manifest.json").write_bytes(sealed(json.dumps(manifest, indent=1).encode()))
    nights.server.assets[0]["property"] = "p2"
    report = nights.sync()
    assert report.exit_code == 0
    assert report.run_id > later.name
    assert nights.rows("select count(*) from history.assets where valid_to is null") == [(6,)]


def test_a_note_of_another_shape_is_no_note(nights: Nights):
    assert nights.sync().exit_code == 0
    path = nights.settings.published / "_published.json"
    for note in ("[]", '{"files": null}', "nonsense"):
        path.chmod(0o644)
        path.write_text(note)
        assert nights.sync().exit_code == 0
        assert json.loads(path.read_text())["files"], note


def test_a_text_in_a_number_field_is_told(nights: Nights):
    nights.server.types = [DOOR, LIFT]
    results = [{"type": "text", "field": "f2", "value": "7 persons"}]
    nights.server.assets.append({"id": "l", "property": "p1", "type": "t2", "fields": results})
    assert nights.sync().exit_code == 0
    assert nights.rows("select name, value from ops.value_issues") == [("Load", "7 persons")]


def test_what_was_renamed_is_told_with_its_old_name(nights: Nights):
    nights.sync()
    renamed = {**DOOR, "fields": [{"id": "f1", "type": "text", "label": "Designation"}]}
    nights.server.types = [renamed, LIFT]
    nights.sync()
    query = "select change, before, after from ops.schema_changes where change like 'label%' or change like '%new'"
    assert sorted(nights.rows(query), key=str) == [
        ("asset type new", None, "Lifts"),
        ("field new", None, "Load"),
        ("label renamed", "Name", "Designation"),
    ]
    assert nights.rows("select column_name, label from asset_type_fields where field_id = 'f1'") == [
        ("name", "Designation")
    ]
