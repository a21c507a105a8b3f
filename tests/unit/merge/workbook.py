"""Makes .xlsx files as Excel does, cell by cell, so that no library of ours is on both sides."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from string import ascii_uppercase
from xml.sax.saxutils import escape

_TYPES = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
_LINKS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"


def text(words: str) -> str:
    return f't="inlineStr"><is><t xml:space="preserve">{escape(words)}</t></is>'


def number(digits: str) -> str:
    return f"><v>{digits}</v>"


def day(serial: int) -> str:
    return f's="1"><v>{serial}</v>'


def formula(sum_up: str, came_to: str | None) -> str:
    return f"><f>{sum_up}</f>" + (f"<v>{came_to}</v>" if came_to is not None else "")


def error(name: str) -> str:
    return f't="e"><v>{name}</v>'


def workbook(*sheets: Mapping[str, str]) -> bytes:
    """Each sheet has its cells by address (`B3`), each made by one of the above."""
    numbers = range(1, len(sheets) + 1)
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{_TYPES}.sheet.main+xml"/>'
        f'<Override PartName="/xl/styles.xml" ContentType="{_TYPES}.styles+xml"/>'
        + "".join(
            f'<Override PartName="/xl/worksheets/sheet{n}.xml" ContentType="{_TYPES}.worksheet+xml"/>' for n in numbers
        )
        + "</Types>",
        "_rels/.rels": _links(("officeDocument", "xl/workbook.xml")),
        "xl/workbook.xml": f'<workbook {_MAIN} xmlns:r="{_LINKS}"><sheets>'
        + "".join(f'<sheet name="S{n}" sheetId="{n}" r:id="rId{n}"/>' for n in numbers)
        + "</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": _links(
            *(("worksheet", f"worksheets/sheet{n}.xml") for n in numbers), ("styles", "styles.xml")
        ),
        "xl/styles.xml": f'<styleSheet {_MAIN}><cellXfs count="2"><xf numFmtId="0"/>'
        '<xf numFmtId="14" applyNumberFormat="1"/></cellXfs></styleSheet>',
    }
    parts |= {f"xl/worksheets/sheet{n}.xml": _sheet(cells) for n, cells in zip(numbers, sheets, strict=True)}
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, part in parts.items():
            archive.writestr(name, f'<?xml version="1.0" encoding="UTF-8"?>{part}')
    return content.getvalue()


def table(*rows: tuple[str, ...]) -> dict[str, str]:
    """Cells of texts from A1 on."""
    return {
        f"{'ABCDEFG'[column]}{line}": text(words)
        for line, row in enumerate(rows, 1)
        for column, words in enumerate(row)
        if words
    }


def _links(*targets: tuple[str, str]) -> str:
    made = "".join(
        f'<Relationship Id="rId{number}" Type="{_LINKS}/{kind}" Target="{target}"/>'
        for number, (kind, target) in enumerate(targets, 1)
    )
    return f'<Relationships xmlns="{_PACKAGE}/relationships">{made}</Relationships>'


def _sheet(cells: Mapping[str, str]) -> str:
    lines: dict[int, list[str]] = {}
    for address, cell in cells.items():
        lines.setdefault(int(address.lstrip(ascii_uppercase)), []).append(f'<c r="{address}" {cell}</c>')
    rows = "".join(f'<row r="{line}">{"".join(made)}</row>' for line, made in sorted(lines.items()))
    return f"<worksheet {_MAIN}><sheetData>{rows}</sheetData></worksheet>"
