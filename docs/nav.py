"""A hook of mkdocs: the navigation lists every decision record, so that a new one needs no line in mkdocs.yml."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def on_config(config: Any) -> Any:
    """Puts the records under Understand, Decisions, in the order of their numbers."""
    folder = Path(config["docs_dir"])
    (understand,) = [entry["Understand"] for entry in config["nav"] if "Understand" in entry]
    (section,) = [entry["Decisions"] for entry in understand if "Decisions" in entry]
    listed = [{_title(record): str(record.relative_to(folder))} for record in sorted(folder.glob("decisions/0*.md"))]
    section[1:] = listed  # mkdocs keeps the configuration between two builds of `mkdocs serve`
    return config


def _title(record: Path) -> str:
    number = record.name[:4]
    heading = record.read_text(encoding="utf-8").splitlines()[0].removeprefix("# ")
    return f"{number} {heading.removeprefix(number).strip()}"
