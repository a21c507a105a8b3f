"""Draws docs/images/demo.svg, the picture of the README: what `propsync demo` prints, as a terminal shows it."""

from __future__ import annotations

import io
import re
import subprocess
import sys
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

PICTURE = Path(__file__).parent / "images" / "demo.svg"
_COLUMNS = 82
_CHAPTERS = (
    "First night",
    "A day passes",
    "Second night",
    "What is overdue",
    "What changed",
)  # there is room for no more
_FONTS = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)  # rich's own come from another host
_FAMILY = "ui-monospace, 'Cascadia Mono', 'DejaVu Sans Mono', 'Liberation Mono', Menlo, Consolas, monospace"


def drawn(lines: list[str]) -> str:
    """The lines as an SVG that asks no other host for anything."""
    console = Console(record=True, width=_COLUMNS, file=io.StringIO(), legacy_windows=False)
    console.print(Text("$ make demo", style="bold green"))
    for line in lines:
        is_heading = bool(line) and not line.startswith("─") and "  " not in line
        console.print(Text(line, style="bold" if is_heading else ""), no_wrap=True, crop=False)
    svg = console.export_svg(title="propsync demo", theme=MONOKAI, unique_id="demo")
    svg = re.sub(r"\s*<!--.*?-->", "", svg)
    return _FONTS.sub("", svg).replace("Fira Code, monospace", _FAMILY).replace("Fira Code", "monospace")


def main() -> None:
    """Runs the demo and writes the picture."""
    program = Path(sys.executable).with_name("propsync")
    printed = subprocess.run([str(program), "demo"], capture_output=True, text=True, check=True).stdout
    chapters = [chapter for chapter in printed.split("\n\n") if chapter.startswith(_CHAPTERS)]
    PICTURE.write_text(drawn("\n\n".join(chapters).splitlines()), encoding="utf-8")


if __name__ == "__main__":
    main()
