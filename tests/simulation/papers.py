"""Documents that cost nothing to write: they follow from what a record shows, so the log of what was shown has them.

Records that show the same have the same documents. Some differ in bytes alone: what their pages say is but a part of
what the record shows. Those of every fourth assessment are long enough for a resumed download. Their versions differ
near the beginning and at the very end, and have a long middle in common.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from functools import lru_cache
from random import Random

from propsync_sandbox import Record, documents
from propsync_sandbox.findings import Subject

NAMES = {"report": "report.pdf", "bundle": "bundle.zip"}
_LONG = 6_000  # bytes; a server's parts are asked for from 4,096 on
_TIME = (2026, 3, 2, 6, 0, 0)


def body(kind: str, record: Record) -> bytes:
    """What the sandbox serves of a record."""
    return _WRITE[kind](content(record))


@lru_cache(maxsize=4096)
def content(record: Record) -> str:
    """The content that a record shows, equal for records that are one version: numbers count by their value."""
    shown = json.loads(record.shown(with_flags=True), parse_int=float)
    return json.dumps(shown, sort_keys=True)


@lru_cache(maxsize=4096)
def sha256(kind: str, record: Record) -> str:
    """Its hash."""
    return hashlib.sha256(body(kind, record)).hexdigest()


def text(shown: str) -> str:
    """What the one page of a report says."""
    members = json.loads(shown)
    return f"Assessment {members['id']} scored {members['score']}"


def actions(shown: str) -> list[tuple[str, str]]:
    """Rows of a bundle's `actions.csv`: reference and title."""
    score = int(json.loads(shown)["score"] or 0)
    return [(f"A{number}", f"Do it {score} times") for number in range(1, 2 + score % 3)]


def write_plain_documents() -> None:
    """The sandbox writes these from now on: real ones take it a second to begin with, and propsync as long to read."""
    report = documents.Kind(lambda about: body("report", _record(about)), documents.REPORT.content_type)
    bundle = documents.Kind(lambda about: body("bundle", _record(about)), documents.BUNDLE.content_type)
    documents.REPORT, documents.BUNDLE = report, bundle


def _record(about: Subject) -> Record:
    return about.record


@lru_cache(maxsize=512)
def _report(shown: str) -> bytes:
    line = f"BT /F1 12 Tf 40 90 Td ({text(shown)}) Tj ET".encode()
    parts = (
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 120] /Contents 4 0 R"
        b" /Resources << /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(line), line),
    )
    written = b"%PDF-1.4\n%" + _filling(shown).hex().encode() + b"\n"
    places = []
    for number, part in enumerate(parts, 1):
        places.append(len(written))
        written += b"%d 0 obj\n%s\nendobj\n" % (number, part)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    end = b"xref\n0 5\n0000000000 65535 f \n%strailer\n<< /Size 5 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n"
    return written + end % (table, len(written))


@lru_cache(maxsize=512)
def _bundle(shown: str) -> bytes:
    table = "".join(f"{reference},{title}\r\n" for reference, title in [("reference", "title"), *actions(shown)])
    members = {"report.pdf": _report(shown), "actions.csv": table.encode(), "attachments/plan.bin": _filling(shown)}
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as folder:
        for name, content in members.items():
            folder.writestr(zipfile.ZipInfo(name, _TIME), content)
    return packed.getvalue()


def _filling(shown: str) -> bytes:
    """Other bytes for everything that is shown; the many that follow them for some are those of the assessment."""
    digest = hashlib.sha256(shown.encode()).digest()
    key = hashlib.sha256(json.loads(shown)["id"].encode()).digest()
    return digest + Random(key).randbytes(_LONG) if key[0] % 4 == 0 else digest


_WRITE = {"report": _report, "bundle": _bundle}
