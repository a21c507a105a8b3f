"""`make bench` works: at a tiny scale here, and without a word on how fast."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_benchmark_prints_and_writes_both_ratios(tmp_path: Path) -> None:
    output = tmp_path / "RESULTS.md"
    arguments = ["--scale", "60", "--repeats", "1", "--output", str(output)]
    ran = subprocess.run(
        [sys.executable, "-m", "benchmarks", *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    rows = [line for line in ran.stdout.splitlines() if line.startswith(("| first load |", "| quiet night |"))]
    ratios = [float(row.split("|")[5]) for row in rows]
    assert len(ratios) == 3
    assert all(ratio > 0 for ratio in ratios)
    assert output.read_text(encoding="utf-8") in ran.stdout + "\n"
