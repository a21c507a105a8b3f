"""A hook of mkdocs: lists every decision record, so that a new one needs no line anywhere."""

from __future__ import annotations

from pathlib import Path
from typing import Any

FOLDER = "decisions"


def on_config(config: Any) -> Any:
    """Puts the records into the navigation, under Understand, Decisions, in the order of their numbers."""
    (understand,) = [entry["Understand"] for entry in config["nav"] if "Understand" in entry]
    (section,) = [entry["Decisions"] for entry in understand if "Decisions" in entry]
    # mkdocs keeps the configuration between two builds of `mkdocs serve`
    section[1:] = [{title: f"{FOLDER}/{name}"} for name, title in _records(config)]
    return config


def on_page_markdown(markdown: str, page: Any, config: Any, **_: Any) -> str:
    """Puts them on the first page of the decisions too."""
    if page.file.src_uri != f"{FOLDER}/README.md":
        return markdown
    return "\n".join([markdown, *(f"- [{title}]({name})" for name, title in _records(config))])


def _records(config: Any) -> list[tuple[str, str]]:
    records = sorted(Path(config["docs_dir"], FOLDER).glob("[0-9]*.md"))
    return [(record.name, _title(record)) for record in records]


def _title(record: Path) -> str:
    number = record.name.partition("-")[0]
    heading = record.read_text(encoding="utf-8").splitlines()[0].removeprefix("# ")
    return f"{number} {heading.removeprefix(number).strip()}"
