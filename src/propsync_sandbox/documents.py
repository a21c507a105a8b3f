"""The documents of an assessment: report.pdf (API §4.7) and bundle.zip (API §4.8), byte for byte the same each time.

A different version of the record gives a different document, as a real report does after a new approval.
"""

import hashlib
import io
import re
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache

from . import findings, remedies
from .exchange import Answer, Request
from .findings import Subject, subject
from .pictures import picture

__all__ = ["BUNDLE", "ETAGS", "REPORT", "Kind", "bundle", "ranged", "report", "subject"]

_ZIP_TIME = (2026, 3, 2, 6, 0, 0)
ETAGS = ("strong", "weak", "none", "unheeded")
_RANGE = re.compile(r"bytes=(\d*)-(\d*)")


@dataclass(frozen=True)
class Kind:
    write: Callable[[Subject], bytes]
    content_type: str


@lru_cache(maxsize=256)
def report(about: Subject) -> bytes:
    """A PDF of several pages: title, summary, actions, controls."""
    # Importing fpdf2 takes a second, and only requests for documents should wait for it.
    from .pdf import written

    return written(about)


def bundle(about: Subject) -> bytes:
    """The report, three CSVs, attachments and images, in a ZIP with fixed times."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as folder:
        for name, content in _members(about):
            member = zipfile.ZipInfo(name, _ZIP_TIME)
            member.compress_type = zipfile.ZIP_DEFLATED
            member.external_attr = 0o644 << 16
            folder.writestr(member, content)
    return packed.getvalue()


REPORT = Kind(report, "application/pdf")
BUNDLE = Kind(bundle, "application/zip")


def _members(about: Subject) -> list[tuple[str, bytes]]:
    rng = about.dice("images")
    actions, elements = remedies.actions(about), findings.elements(about)
    members = [
        ("report.pdf", report(about)),
        ("actions.csv", findings.as_csv(remedies.ACTION_COLUMNS, actions)),
        ("controls.csv", findings.as_csv(findings.CONTROL_COLUMNS, findings.controls(about))),
        ("elements.csv", findings.as_csv(findings.ELEMENT_COLUMNS, elements)),
        ("attachments/site plan.png", picture(rng, 48)),
        ("attachments/llythyr i'r preswylydd.txt", b"Annwyl breswylydd,\r\nDiolch.\r\n"),
        ("images/controls/C01.png", picture(rng)),
    ]
    members += [(str(row[name]), picture(rng)) for name in ("image", "evidence") for row in actions if row[name]]
    return members + [(str(row["photo"]), picture(rng)) for row in elements if row["photo"]]


def ranged(answer: Answer, request: Request, etags: str) -> Answer:
    """One byte range, if the request asks for one and the document has it; ranges are undocumented, so this
    is optional.

    `etags`: "strong" ones, for comparison with `If-Range`; or, as some servers do, "weak" ones that show the length
    alone, or "none". With "unheeded", ETags are strong but the server ignores `If-Range`, so that a range is of the
    current version.
    """
    body = answer.body()
    etag = '"' + hashlib.sha256(body).hexdigest()[:32] + '"'
    tag = {"none": {}, "weak": {"ETag": f'W/"{len(body)}"'}}.get(etags, {"ETag": etag})
    headers = {"Accept-Ranges": "bytes"} | tag
    match = _RANGE.fullmatch(request.headers.get("range", ""))
    is_other = etags == "strong" and request.headers.get("if-range", etag) != etag
    if match is None or match.group(0) == "bytes=-" or is_other:
        return replace(answer, headers=headers)
    first, last = _bounds(match.group(1), match.group(2), len(body))
    if first > last:
        return Answer(416, headers=headers | {"Content-Range": f"bytes */{len(body)}"})
    headers["Content-Range"] = f"bytes {first}-{last}/{len(body)}"
    return replace(answer, status=206, content=body[first : last + 1], headers=headers)


def _bounds(start: str, end: str, size: int) -> tuple[int, int]:
    if not start:
        return max(0, size - int(end)), size - 1
    return int(start), min(int(end), size - 1) if end else size - 1
