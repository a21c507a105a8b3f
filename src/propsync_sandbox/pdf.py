"""The report of an assessment as PDF (API §4.7); the one module that needs fpdf2."""

import io
from datetime import UTC, datetime

from fpdf import FPDF
from fpdf.enums import XPos, YPos

from . import findings, remedies
from .findings import Subject
from .pictures import picture

_CREATED = datetime(2026, 3, 2, 6, 0, tzinfo=UTC)


def written(about: Subject) -> bytes:
    """A PDF of three pages or more: title, summary, actions."""
    pdf = FPDF()
    pdf.set_creation_date(_CREATED)
    pdf.set_title(_plain(f"{about.type_name} - {about.property_name}"))
    _title_page(pdf, about)
    _section(pdf, "Summary", [f"{name}: {value}" for name, value in _facts(about)])
    _section(
        pdf, "Actions", [f"{row['reference']} [{row['priority']}] {row['title']}" for row in remedies.actions(about)]
    )
    _section(pdf, "Controls", [f"{row['name']}: {row['comment']}" for row in findings.controls(about)])
    return bytes(pdf.output())


def _plain(text: str) -> str:
    """Replaces characters outside Latin-1 by a question mark: the fonts built into PDF have no others."""
    return text.encode("latin-1", "replace").decode("latin-1")


def _title_page(pdf: FPDF, about: Subject) -> None:
    pdf.add_page()
    pdf.set_font("Helvetica", "B", 22)
    _line(pdf, about.type_name, 14)
    pdf.set_font("Helvetica", size=12)
    _line(pdf, about.property_name, 8)
    _line(pdf, about.address, 8)
    _line(pdf, f"Assessment {about.record.key}, revision {about.record.version}", 8)
    pdf.image(io.BytesIO(picture(about.dice("cover"), 48)), w=40)


def _section(pdf: FPDF, heading: str, lines: list[str]) -> None:
    pdf.add_page()
    pdf.set_font("Helvetica", "B", 16)
    _line(pdf, heading, 10)
    pdf.set_font("Helvetica", size=11)
    for line in lines:
        _line(pdf, line, 6)


def _line(pdf: FPDF, text: str, height: int) -> None:
    pdf.multi_cell(0, height, _plain(text), new_x=XPos.LMARGIN, new_y=YPos.NEXT)


def _facts(about: Subject) -> list[tuple[str, object]]:
    members = about.record.members(with_flags=False)
    return [(name, members[name]) for name in ("status", "performedDate", "score", "summary") if name in members]
