"""`make setup` makes an environment that works wherever the clone is."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from faces.pages import ROOT


def test_python_starts_in_a_folder_whose_letters_the_locale_does_not_know(tmp_path: Path):
    folder = tmp_path / "Türen"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / ".venv"], check=True)
    (folder / "src").mkdir()
    (folder / "src" / "found.py").touch()
    (site,) = (folder / ".venv" / "lib").glob("python3.*/site-packages")
    (site / "_editable_impl_propsync.pth").write_text(f"{folder}/src", encoding="utf-8")  # as pip does
    for line in _recipe_about("_editable_impl_propsync.pth"):
        subprocess.run(["sh", "-c", line], cwd=folder, check=True)
    python = folder / ".venv" / "bin" / "python"
    subprocess.run([python, "-c", "import found"], env={"LC_ALL": "C"}, check=True)


def _recipe_about(word: str) -> list[str]:
    words = ["make", "--dry-run", "--no-print-directory", "--what-if", "requirements.lock", "setup"]
    shown = subprocess.run(
        words, cwd=ROOT, env={"PATH": os.environ["PATH"]}, stdout=subprocess.PIPE, text=True, check=True
    )
    return [line for line in shown.stdout.splitlines() if word in line]
