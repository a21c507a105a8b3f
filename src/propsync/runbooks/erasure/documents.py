"""Documents that have an erased text: in their pages, their CSVs, or anything else that is packed in them."""

from __future__ import annotations

import gzip
import io
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from propsync.documents.blobs import Blobs
from propsync.documents.worker.client import WorkerPool
from propsync.erasing.search import documents_in
from propsync.errors import DocumentDamaged
from propsync.file_kinds import is_pdf
from propsync.progress import progress
from propsync.runbooks.erasure.pictures import without_dots
from propsync.runbooks.erasure.readings import parts, readings
from propsync.storage import disk_errors, partial_file, write_all
from propsync.suppression import Suppression
from propsync.warehouse import Warehouse, statement

_MOST = 64 << 20  # bytes of a member that propsync reads to search it
_DEEPEST = 5
_CSV = ".csv"
_DAMAGE = (DocumentDamaged, OSError, EOFError, ValueError, zlib.error, zipfile.BadZipFile, RuntimeError)
_TABLES = (
    "main.bundle_members",
    "main.bundle_actions",
    "main.bundle_controls",
    "main.bundle_elements",
    "history.bundle_actions",
)
"""Their rows know how a CSV is written."""


def documents_naming(warehouse: Warehouse, pseudonym: str) -> list[str]:
    """The files of documents with a row that has the pseudonym of an erased id: the file itself has the id."""
    tables = (*_TABLES, "main.document_text")
    hashes = {*documents_in(warehouse, pseudonym, lambda row: pseudonym in row, tables)}
    return sorted(path for (path,) in warehouse.rows(statement("documents/paths")) if Path(path).stem in hashes)


class DocumentSearch:
    """Reads every stored document once; `unread` are those that it could not read."""

    def __init__(self, blobs: Blobs, suppression: Suppression, pdf: WorkerPool, work: Path) -> None:
        self._blobs = blobs
        self._suppression = suppression
        self._pdf = pdf
        self._work = work
        self.unread: list[str] = []

    def found(self, warehouse: Warehouse, words: str) -> list[str]:
        """The hashes of the documents that have it, by their rows or else by their files."""
        keys, texts = [*self._blobs.all(), *self._blobs.aside()], self._texts(warehouse)
        in_rows = set(documents_in(warehouse, words, self._suppression.sees, _TABLES))
        hits = []
        with progress("Searching", len(keys), "documents") as bar:
            for key in keys:
                sha256 = Path(key).stem
                if sha256 in in_rows or texts.get(sha256) or self.has_it(key, with_pages=sha256 not in texts):
                    hits.append(sha256)
                bar.advance()
        return list(dict.fromkeys(hits))

    def among(self, keys: Iterable[str]) -> list[str]:
        """The hashes of those of these documents that have it by their files."""
        return [Path(key).stem for key in keys if self.has_it(key)]

    def in_csvs(self, keys: Iterable[str]) -> list[str]:
        """Those of these bundles that have it in their CSVs; a lost file has nothing."""
        return [key for key in keys if self._csvs_have_it(key)]

    def _csvs_have_it(self, key: str) -> bool:
        try:
            with zipfile.ZipFile(self._blobs.path(key)) as archive:
                csvs = [one for one in archive.infolist() if one.filename.lower().endswith(_CSV)]
                self.unread += [f"{key}: {one.filename}" for one in csvs if one.file_size > _MOST]
                read = (archive.read(one) for one in csvs if one.file_size <= _MOST)
                return any(self._suppression.sees(text) for body in read for text in readings(body))
        except FileNotFoundError:
            return False
        except _DAMAGE:
            self.unread.append(key)
            return False

    def has_it(self, key: str, *, with_pages: bool = True) -> bool:
        """Whether a stored file has it. Without pages, only the rest of a report counts: a table has its pages.

        Raises DiskFull.
        """
        try:
            return self._file_has_it(self._blobs.path(key), key, 0, with_pages=with_pages)
        except _DAMAGE:
            self.unread.append(key)
            return False

    def _texts(self, warehouse: Warehouse) -> dict[str, bool]:
        """Whether the text of a report has it, for those whose text is in a table."""
        rows = warehouse.rows(statement("erasing/document_texts"))
        return {sha256: self._suppression.sees("\n".join(page or "" for page in pages)) for sha256, pages in rows}

    def _file_has_it(self, path: Path, name: str, depth: int, *, with_pages: bool = True) -> bool:
        if zipfile.is_zipfile(path) and depth < _DEEPEST:
            return any([*self._in_members(path, name, depth)])
        body = without_dots(path.read_bytes())
        if is_pdf(body):
            return self._pdf_has_it(path, body, with_pages=with_pages)
        if body.startswith(b"\x1f\x8b") and depth < _DEEPEST:
            return self._inner_has_it(gzip.GzipFile(fileobj=io.BytesIO(body)).read(_MOST), name, depth)
        return any(map(self._suppression.sees, readings(body)))

    def _pdf_has_it(self, path: Path, body: bytes, *, with_pages: bool) -> bool:
        """Its pages as people read them, and its title, notes and attachments."""
        if with_pages and self._suppression.sees("\n".join(self._pdf.text(path))):
            return True
        return any(self._suppression.sees(text) for part in parts(body) for text in readings(part))

    def _in_members(self, path: Path, name: str, depth: int) -> Iterator[bool]:
        with zipfile.ZipFile(path) as archive:
            for member in archive.infolist():
                yield self._suppression.sees(member.filename)
                if member.is_dir():
                    continue
                if member.file_size > _MOST:
                    self.unread.append(f"{name}: {member.filename}")
                    continue
                try:
                    yield self._inner_has_it(archive.read(member), f"{name}: {member.filename}", depth)
                except _DAMAGE:
                    self.unread.append(f"{name}: {member.filename}")

    def _inner_has_it(self, body: bytes, name: str, depth: int) -> bool:
        with partial_file(self._work) as target:
            with disk_errors(self._work):  # a full disk is no fault of the document
                write_all(target, body)
            return self._file_has_it(Path(target.name), name, depth + 1)
