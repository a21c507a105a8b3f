"""The rows of an .xlsx file that people do not see: hidden by hand, by a filter or by a group."""

from __future__ import annotations

import io
import re
import zipfile

from propsync.merge.reference.error_cells import sheet_parts

_ROW = re.compile(rb"<(?:\w+:)?row\b[^<>]*>")
_IS_HIDDEN = re.compile(rb"\bhidden\s*=\s*[\"'](?:1|true)[\"']")
_NUMBER = re.compile(rb"\br\s*=\s*[\"'](\d+)[\"']")


def hidden_rows(content: bytes, sheet: int) -> frozenset[int]:
    """The numbers of such rows of a sheet, from 1."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        parts = sheet_parts(archive)
        if sheet >= len(parts) or parts[sheet] not in archive.namelist():
            return frozenset()
        rows = filter(_IS_HIDDEN.search, _ROW.findall(archive.read(parts[sheet])))
    return frozenset(int(found[1][:9]) for found in map(_NUMBER.search, rows) if found)
