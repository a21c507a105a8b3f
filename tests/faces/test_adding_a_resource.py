"""The guide to a new resource is true: a copy of the repository that follows its steps keeps the new list."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import duckdb
import pytest
from faces.pages import PAGES, ROOT

GUIDE = PAGES["adding-a-resource.md"]
STEPS = re.findall(r"^```\w+ title=\"([^\"]+)\"\n(.*?)^```", GUIDE.text, re.MULTILINE | re.DOTALL)
RECORDS = json.loads(GUIDE.blocks("json")[0])["contractors"]


class Contractors(ThreadingHTTPServer):
    """An API whose only records are contractors."""

    daemon_threads = True
    records = RECORDS


class _Handler(BaseHTTPRequestHandler):
    server: Contractors

    def do_GET(self) -> None:
        url = urlsplit(self.path)
        query = parse_qs(url.query)
        shown = [one for one in self.server.records if "id" not in query or one["id"] in query["id"][0].split(",")]
        empty = {"total": 0, "assets": [], "types": [], "items": [], "type": []}
        body = {"total": len(shown), "contractors": shown} if url.path == "/contractors" else empty
        written = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(written)))
        self.end_headers()
        self.wfile.write(written)

    def log_message(self, format: str, *args: object) -> None:
        """Quiet."""


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The copy, with every step taken."""
    copy = tmp_path_factory.mktemp("tree")
    for name in ("src", "sql", "tests/sql"):
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", copy)
    for name, text in STEPS:
        _take(copy / name, text)
    return copy


def _take(file: Path, text: str) -> None:
    """A statement in place of the one of that name, else before the last; anything else at the end of its file."""
    before = file.read_text(encoding="utf-8") if file.exists() else ""
    name = text.partition(" = ")[0]
    if file.suffix == ".py" and f"\n{name} = " in before:
        after = re.sub(rf"^{name} = .*$", text.rstrip(), before, flags=re.MULTILINE)
    elif file.suffix == ".py":
        after = before.replace("\nBUILT_IN = ", f"\n{text}\nBUILT_IN = ")
    else:
        after = f"{before.rstrip()}\n\n{text}".lstrip()
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(after, encoding="utf-8")


@pytest.fixture
def api() -> Iterator[Contractors]:
    server = Contractors(("127.0.0.1", 0), _Handler)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


def program(tree: Path, *words: str, **environ: str) -> subprocess.CompletedProcess[str]:
    """A Python program in which propsync is that of the copy."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("PROPSYNC_")}
    paths = {"PYTHONPATH": os.pathsep.join([str(tree / "src"), str(tree / "tests")])}
    command = [sys.executable, *words]
    return subprocess.run(
        command, env=inherited | paths | environ, cwd=tree, capture_output=True, text=True, timeout=120, check=False
    )


def test_every_step_names_its_file():
    assert [name for name, _ in STEPS][:4] == [
        "src/propsync/resources/built_in.py",
        "src/propsync/resources/built_in.py",
        "sql/tables.toml",
        "sql/main/contractors.open.sql",
    ]
    assert all((ROOT / name).exists() or "contractors" in name for name, _ in STEPS)


@pytest.mark.slow
def test_the_new_list_is_kept_like_the_others(tree: Path, api: Contractors, tmp_path: Path):
    home = tmp_path / "home"
    settings = {
        "PROPSYNC_BASE_URL": f"http://127.0.0.1:{api.server_port}",
        "PROPSYNC_TOKEN": "t",
        "PROPSYNC_HOME": str(home),
    }
    sync = ("-c", "from propsync.cli.start import program; program()", "sync", "--only", "contractors")
    done = program(tree, *sync, **settings)
    assert done.returncode == 0, done.stdout + done.stderr
    api.records = [RECORDS[0] | {"trade": "doors"}]
    done = program(tree, *sync, **settings)
    assert done.returncode == 0, done.stdout + done.stderr
    with duckdb.connect(home / "published" / "warehouse.duckdb", read_only=True) as published:
        columns = "contractor_id, name, accredited_until::varchar, trade"
        assert published.sql(f"select {columns} from contractors").fetchall() == [
            ("c1", "Apex Fire Doors", "2027-03-31", "doors")
        ]
        history = "select contractor_id, change from history.contractors order by all"
        first, second = [("c1", "insert"), ("c1", "update")], [("c2", "delete"), ("c2", "insert")]
        assert published.sql(history).fetchall() == [*first, *second]
        changes = "changes_between((select min(started_at) from ops.runs), now()) where resource = 'contractors'"
        changed = published.sql(f"select record_id, change from {changes} order by all").fetchall()
        assert changed == [("c1", "update"), ("c2", "delete")]
        assert published.sql("select count(*) from contractors_as_of(now())").fetchall() == [(1,)]
        comment = (
            "select comment from duckdb_columns() where schema_name = 'main' and table_name = 'contractors' "
            "and column_name = 'accredited_until'"
        )
        assert published.sql(comment).fetchall() == [("The last day of the accreditation",)]


@pytest.mark.release
def test_its_case_passes_and_its_table_is_in_the_dictionary(tree: Path):
    done = program(tree, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/sql", "-k", "contractors")
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"^[2-9] passed", done.stdout, re.MULTILINE), done.stdout
    done = program(tree, "-m", "propsync.publish.dictionary")
    assert "## contractors" in done.stdout
    assert "| `accredited_until` | DATE |" in done.stdout
