"""Documents that have an erased text: in their pages, their CSVs, or any other member of a bundle."""

from __future__ import annotations

import tempfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

from propsync.documents.blobs import Blobs
from propsync.documents.worker.client import WorkerPool
from propsync.errors import DocumentDamaged
from propsync.progress import progress
from propsync.storage import PARTIAL
from propsync.suppression import Suppression
from propsync.warehouse import Warehouse, statement

_MOST = 64 << 20  # bytes of a member that propsync reads to search it
_PDF = ".pdf"


class DocumentSearch:
    """Reads every stored document once; `unread` are those that it could not read."""

    def __init__(self, blobs: Blobs, suppression: Suppression, pdf: WorkerPool, work: Path) -> None:
        self._blobs = blobs
        self._suppression = suppression
        self._pdf = pdf
        self._work = work
        self.unread: list[str] = []

    def found(self, warehouse: Warehouse) -> list[str]:
        """The hashes of the documents that have it, by their pages in `document_text` or else by their files."""
        texts = self._texts(warehouse)
        keys = self._blobs.all()
        hits = []
        with progress("Searching", len(keys), "documents") as bar:
            for key in keys:
                sha256 = Path(key).stem
                if texts[sha256] if sha256 in texts else self._file_has_it(key):
                    hits.append(sha256)
                bar.advance()
        return hits

    def _texts(self, warehouse: Warehouse) -> dict[str, bool]:
        """Whether the text of a report has it, for those whose text is in a table."""
        rows = warehouse.rows(statement("erasing/document_texts"))
        return {sha256: self._suppression.sees("\n".join(page or "" for page in pages)) for sha256, pages in rows}

    def _file_has_it(self, key: str) -> bool:
        try:
            path = self._blobs.path(key)
            return self._pdf_has_it(path) if key.endswith(_PDF) else any(self._in_bundle(path))
        except (DocumentDamaged, OSError, zipfile.BadZipFile, RuntimeError, NotImplementedError):
            self.unread.append(key)
            return False

    def _pdf_has_it(self, path: Path) -> bool:
        return self._suppression.sees("\n".join(self._pdf.text(path)))

    def _in_bundle(self, path: Path) -> Iterator[bool]:
        with zipfile.ZipFile(path) as archive:
            for member in archive.infolist():
                yield self._suppression.sees(member.filename)
                if member.file_size > _MOST:
                    self.unread.append(f"{path.name}: {member.filename}")
                elif not member.is_dir():
                    yield self._member_has_it(member.filename, lambda one=member: archive.read(one))  # type: ignore[misc]

    def _member_has_it(self, name: str, read: Callable[[], bytes]) -> bool:
        body = read()
        if name.lower().endswith(_PDF):
            with tempfile.NamedTemporaryFile(dir=self._work, suffix=PARTIAL) as target:
                target.write(body)
                target.flush()
                return self._pdf_has_it(Path(target.name))
        return any(self._suppression.sees(body.decode(form, "replace")) for form in ("utf-8", "utf-16-le", "utf-16-be"))
