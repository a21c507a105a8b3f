"""Reports and bundles for an estate's approved assessments, as files for nginx (API §4.7 and 4.8)."""

import os
import zipfile
from collections.abc import Iterator
from pathlib import Path
from random import Random

import msgspec

_REPORT_BYTES = (40_000, 160_000)
_PHOTO_BYTES = (60_000, 300_000)
_BLOCK = 64 * 1024 * 1024
_CSV = b"id,reference,title\r\n1,A01,Signage faded\r\n2,A02,Closer missing\r\n"


def write_documents(night: Path, seed: int = 7) -> int:
    """Writes both kinds for each approved assessment of a night's page files; returns how many documents."""
    rng, count = Random(seed), 0
    for assessment_id in approved(night):
        folder = night / "documents" / "assessments" / assessment_id
        folder.mkdir(parents=True, exist_ok=True)
        report = a_report(rng.randbytes(rng.randint(*_REPORT_BYTES)))
        (folder / "report.pdf").write_bytes(report)
        with zipfile.ZipFile(folder / "bundle.zip", "w") as bundle:
            bundle.writestr("report.pdf", report)
            bundle.writestr("actions.csv", _CSV)
            bundle.writestr("images/photo.jpg", rng.randbytes(rng.randint(*_PHOTO_BYTES)))
        count += 2
    return count


def write_large_bundle(night: Path, size: int) -> None:
    """Makes the first assessment's bundle one of `size` bytes."""
    first = min(approved(night))
    path = night / "documents" / "assessments" / first / "bundle.zip"
    block = os.urandom(_BLOCK)
    with zipfile.ZipFile(path, "w") as bundle, bundle.open("video.mp4", "w", force_zip64=True) as member:
        for _ in range(size // _BLOCK):
            member.write(block)


def approved(night: Path) -> Iterator[str]:
    """Ids of approved assessments, each once, from the page files of both lists."""
    seen: set[str] = set()
    for page in sorted((night / "assessments").glob("[bf]*/1000/*.json")):
        for record in msgspec.json.decode(page.read_bytes())["assessments"]:
            if record["status"] == "approved" and record["id"] not in seen:
                seen.add(record["id"])
                yield record["id"]


def a_report(padding: bytes) -> bytes:
    """A PDF of one page, with that many invisible bytes."""
    parts = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] >>",
        b"<< /Length %d >>\nstream\n%b\nendstream" % (len(padding), padding),
    ]
    body, starts = b"%PDF-1.7\n", []
    for number, part in enumerate(parts, 1):
        starts.append(len(body))
        body += b"%d 0 obj\n%b\nendobj\n" % (number, part)
    table = b"".join(b"%010d 00000 n \n" % start for start in starts)
    size = len(parts) + 1
    head = b"xref\n0 %d\n0000000000 65535 f \n%b" % (size, table)
    return body + head + b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (size, len(body))
