"""`make bench` works: at a tiny scale here, and without a word on how fast."""

import subprocess
import sys
from pathlib import Path

import pytest
from benchmarks.nginx import NginxMissing, program

ROOT = Path(__file__).parents[2]


def _has_nginx() -> bool:
    try:
        return bool(program())
    except NginxMissing:
        return False


@pytest.mark.skipif(not _has_nginx(), reason="nginx is not installed; on Debian: apt-get install nginx-light")
def test_the_benchmark_compares_contents_and_writes_its_tables(tmp_path: Path) -> None:
    output = tmp_path / "RESULTS.md"
    arguments = ["--scale", "100", "--repeats", "1", "--output", str(output)]
    ran = subprocess.run(
        [sys.executable, "-m", "benchmarks", *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    cases = ("first load", "quiet night", "1 % night")
    rows = [line.split("|") for line in ran.stdout.splitlines() if line.startswith("| 100 |")]
    ratios = {row[2].strip(): float(row[5]) for row in rows if row[3].strip() == "floor"}
    assert set(ratios) == set(cases)
    assert all(ratio > 0 for ratio in ratios.values())
    assert output.read_text(encoding="utf-8") in ran.stdout + "\n"
