"""`make bench` works: at a tiny scale here, and without a word on how fast."""

import json
import subprocess
import sys
from itertools import count
from pathlib import Path
from typing import Any

import benchmarks.__main__ as program
import duckdb
import httpx
import pytest
from benchmarks import cases, desk_script, floor_desk, programs, truth
from benchmarks.estate import KINDS, Estate
from benchmarks.measured import Measured
from benchmarks.nginx import Api
from kit.needs import needs

from propsync_sandbox import Sandbox, World

ROOT = Path(__file__).parents[2]
LISTS = {"assets/all": "assets", "assessments/for": "assessments", "assessments/by": "assessments"}
LISTS |= {"schedules/all": "schedules"}
Key = tuple[str, ...]


@pytest.mark.release
@needs("nginx")
def test_the_benchmark_compares_contents_and_writes_its_tables(tmp_path: Path) -> None:
    output = tmp_path / "RESULTS.md"
    arguments = ["--scale", "60", "--repeats", "1", "--only", "first", "night", "--output", str(output)]
    ran = subprocess.run(
        [sys.executable, "-m", "benchmarks", *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    rows = [line.split(" | ") for line in ran.stdout.splitlines() if " | 60 | " in line]
    floor = {(row[0], row[3]): float(row[6]) > 0 for row in rows if row[4] == "floor"}
    assert floor == {(f"| {kind}", case): True for kind in KINDS for case in ("first load", "1 % night")}
    verdicts = [line for line in ran.stdout.splitlines() if line.startswith("| 1 % night against its floor |")]
    assert ["not measured" in line for line in verdicts] == [False, False]
    assert output.read_text(encoding="utf-8") in ran.stdout
    kept = Measured.read(tmp_path / "measured.json").rows.values()
    assert {(row.kind, row.scale) for row in kept} == {("plain", 60), ("rich", 60)}


def test_without_nginx_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("benchmarks.nginx.ELSEWHERE", str(tmp_path))
    assert program.main(["--output", str(tmp_path / "RESULTS.md")]) == 2
    assert "apt-get install nginx-light" in capsys.readouterr().err


@pytest.mark.release
@pytest.mark.parametrize("kind", KINDS)
def test_every_list_is_whole_and_a_night_edits_adds_and_takes_away_a_few(tmp_path: Path, kind: str) -> None:
    estate = Estate(2_000, kind=kind)
    for night in (0, 1):
        estate.write(tmp_path / str(night), night)
    for place, member in LISTS.items():
        before, after = (_records(tmp_path / night / place / "1000", member) for night in ("0", "1"))
        edited = [key for key in before if key in after and before[key] != after[key]]
        assert 0.003 <= len(edited) / len(before) <= 0.02
        assert len(before.keys() - after.keys()) <= 1
        assert len(after.keys() - before.keys()) <= 1
        assert [key for key in before if key in after] == [key for key in after if key in before]
    Estate(2_000, kind=kind).write(tmp_path / "again", 1)
    assert _files(tmp_path / "again") == _files(tmp_path / "1")


@pytest.mark.slow
def test_rich_data_have_flags_histories_and_options_in_the_promised_number(tmp_path: Path) -> None:
    scale = 2_000
    Estate(scale, kind="rich").write(tmp_path)
    found = {place: _records(tmp_path / place / "1000", member) for place, member in LISTS.items()}
    inspected = (found["assessments/for"] | found["assessments/by"]).values()
    flags = [flag for record in inspected for flag in record["flags"]]
    assert len(flags) == pytest.approx(scale * 0.6, rel=0.05)
    assert sum(len(flag["history"]) for flag in flags) == pytest.approx(scale * 1.5, rel=0.05)
    assert sum(map(_size, inspected)) / len(inspected) == pytest.approx(929, rel=0.03)
    results = [result for record in found["assets/all"].values() for result in record["fields"]]
    options = [_size(result["value"]) for result in results if result["type"] == "option"]
    assert sum(options) / len(options) == pytest.approx(79, rel=0.03)
    pages = sum(len(body) for name, body in _files(tmp_path).items() if "/1000/" in name)
    assert pages == pytest.approx(scale * 2_300, rel=0.05)


@pytest.mark.slow
def test_a_flag_has_the_members_of_the_sandbox_and_a_history_in_order(tmp_path: Path) -> None:
    Estate(400, kind="rich").write(tmp_path)
    sandbox = next(flag for record in World(scale=60).truth("assessments").values() for flag in record["flags"])
    records = _records(tmp_path / "assessments/for/1000", "assessments").values()
    for flag in (flag for record in records for flag in record["flags"]):
        assert flag.keys() == sandbox.keys()
        assert [set(entry) for entry in flag["history"]] == [{"at", "status", "by"}] * len(flag["history"])
        moments = [entry["at"] for entry in flag["history"]]
        assert moments == sorted(moments)
        assert (moments[0], flag["history"][0]["status"]) == (flag["raisedAt"], "open")
        assert flag["closedAt"] == (moments[-1] if flag["status"] == "closed" else None)


@pytest.mark.release
@needs("nginx")
def test_the_floors_night_gives_the_tables_of_a_fresh_load_and_their_parquet(tmp_path: Path) -> None:
    with cases.place(tmp_path / "estate", 300, "rich") as where:
        where.show(0)
        kept, fresh = where.fresh("kept"), where.fresh("fresh")
        programs.floor("load", where.api, kept, "1GB")
        programs.floor("learn", where.api, kept, "1GB")
        assert "0 changed" in programs.floor("night", where.api, kept, "1GB").said
        where.show(1)
        assert "0 changed" not in programs.floor("night", where.api, kept, "1GB").said
        programs.floor("load", where.api, fresh, "1GB")
        with duckdb.connect() as connection:
            for name, folder in (("kept", kept), ("fresh", fresh)):
                connection.execute(f"attach '{folder}/warehouse.duckdb' as {name} (read_only)")
            tables = connection.execute(
                "select schema_name, table_name from duckdb_tables() where database_name = 'fresh'"
            )
            for schema, table in tables.fetchall():
                expected = f"from fresh.{schema}.{table}"
                assert _differences(connection, expected, f"from kept.{schema}.{table}") == 0, table
                written = f"from '{kept}/parquet/{schema}/{table}.parquet'"
                assert _differences(connection, expected, written) == 0, table


@pytest.mark.slow
def test_the_floor_makes_the_marts_that_propsync_makes(tmp_path: Path) -> None:
    with Sandbox(scale=60) as sandbox:
        api = Api(sandbox.base_url, sandbox.token, tmp_path)
        programs.without_desk(api, tmp_path / "home", "1GB")
    desk = tmp_path / "desk"
    expected = desk_script.write(tmp_path / "home/state/warehouse.duckdb", desk)
    assert expected["marts.compliance"] != desk_script.NOTHING
    floor_desk.run(desk, tmp_path, "1GB")
    with duckdb.connect(desk / floor_desk.STATE) as connection:
        found = desk_script.contents(lambda sql: connection.execute(sql).fetchall())
        assert found == expected
        for mart in expected:
            of_mart = f"from '{tmp_path}/parquet/{mart.replace('.', '/')}.parquet'"
            assert _differences(connection, f"from {mart}", of_mart) == 0, mart
    assert (tmp_path / "dashboard.html").read_text(encoding="utf-8").count("<table>") > 10


@pytest.mark.release
def test_after_nights_of_a_list_that_moves_propsync_has_every_asset_once(tmp_path: Path) -> None:
    reads = truth.tried(tmp_path, assets=60, nights=1, with_dlt=False)
    assert [(read.night, read.lost, read.doubled, read.remained) for read in reads] == [(1, 0, 0, 0), (2, 0, 0, 0)]


def test_a_reader_that_stops_at_an_empty_page_loses_and_doubles_assets() -> None:
    world = World(seed=3, scale=600)
    mover = truth.Mover(world)
    with Sandbox(world=world, order="newest", page=20, before=mover.move) as sandbox:
        night = truth.Night(world)
        with mover.night():
            rows = _naively_read(sandbox)
        lost, doubled, remained = night.wrong(rows)
    assert lost > 0
    assert doubled > 0
    assert remained == 0


def test_a_night_counts_what_is_lost_outdated_doubled_and_deleted_long_ago() -> None:
    world = World(seed=3, scale=12)
    truth.Mover(world)
    first, second, third, fourth, *others = [str(record.key) for record in world.assets.records()]
    world.assets.delete(first)
    night = truth.Night(world)
    revisions = {str(record.key): record.members()["revision"] for record in world.assets.records()}
    world.assets.set_members(second, revision=1_000)
    world.assets.delete(third)
    came = world.assets.add()
    world.assets.set_members(came, revision=1_001)
    rows = [(first, 1), (second, 1_000), (fourth, -1), (came, 1_001), (came, 1_001)]
    rows += [(key, revisions[key]) for key in others[1:]]
    assert night.wrong(rows) == (2, 1, 1)  # fourth is older than the night, others[0] is missing
    assert night.wrong([*rows, (third, revisions[third])]) == (2, 1, 1)


def test_the_first_page_of_the_site_tells_what_was_measured() -> None:
    measured = Measured.read(ROOT / "benchmarks/measured.json")
    told = (ROOT / "docs/index.md").read_text(encoding="utf-8").splitlines()
    lines = truth.in_three_lines(measured.truth)
    assert len(lines) == 3
    assert [line for line in told if line in lines] == lines


def _naively_read(sandbox: Sandbox) -> truth.Rows:
    rows: truth.Rows = []
    headers = {"Authorization": f"Bearer {sandbox.token}"}
    with httpx.Client(base_url=sandbox.base_url, headers=headers) as client:
        for page in count(1):
            records = client.get("/properties/assets", params={"page": page}).json()["assets"]
            if not records:
                return rows
            rows += [(record["id"], record["revision"]) for record in records]
    raise AssertionError


def _differences(connection: duckdb.DuckDBPyConnection, one: str, other: str) -> int:
    """How many rows only one of them has, or has more often."""
    counted = connection.execute(
        f"select count(*) from (({one} except all {other}) union all ({other} except all {one}))"
    ).fetchone()
    assert counted is not None
    return int(counted[0])


def _size(value: object) -> int:
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode())


def _records(folder: Path, member: str) -> dict[Key, Any]:
    """Records by key; checks that all pages tell how many there are."""
    pages = [json.loads((folder / f"{page}.json").read_bytes()) for page in range(1, len(_files(folder)) + 1)]
    records = [record for page in pages for record in page[member]]
    assert {page["total"] for page in pages} == {len(records)}
    by_key = dict(zip(map(_key, records), records, strict=True))
    assert len(by_key) == len(records)
    return by_key


def _key(record: dict[str, Any]) -> Key:
    return (record["id"],) if "id" in record else (record["property"], record["type"])


def _files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*.json")}
