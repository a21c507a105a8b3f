"""`make bench` works: at a tiny scale here, and without a word on how fast."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import benchmarks.__main__ as program
import pytest
from benchmarks.estate import Estate
from kit.needs import needs

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
    rows = [line.split(" | ") for line in ran.stdout.splitlines() if line.startswith("| 60 |")]
    assert {row[2]: float(row[5]) > 0 for row in rows if row[3] == "floor"} == {"first load": True, "1 % night": True}
    assert "| first load against the floor |" in ran.stdout
    assert output.read_text(encoding="utf-8") in ran.stdout
    assert {row["scale"] for row in json.loads((tmp_path / "measured.json").read_text(encoding="utf-8"))} == {60}


def test_without_nginx_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("benchmarks.nginx.ELSEWHERE", str(tmp_path))
    assert program.main(["--output", str(tmp_path / "RESULTS.md")]) == 2
    assert "apt-get install nginx-light" in capsys.readouterr().err


@pytest.mark.release
def test_every_list_is_whole_and_a_night_edits_adds_and_takes_away_a_few(tmp_path: Path) -> None:
    estate = Estate(2_000)
    for night in (0, 1):
        estate.write(tmp_path / str(night), night)
    for place, member in LISTS.items():
        before, after = (_records(tmp_path / night / place / "1000", member) for night in ("0", "1"))
        edited = [key for key in before if key in after and before[key] != after[key]]
        assert 0.003 <= len(edited) / len(before) <= 0.02
        assert len(before.keys() - after.keys()) <= 1
        assert len(after.keys() - before.keys()) <= 1
        assert [key for key in before if key in after] == [key for key in after if key in before]
    Estate(2_000).write(tmp_path / "again", 1)
    assert _files(tmp_path / "again") == _files(tmp_path / "1")


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
