"""Opens documents: whether one is whole, and whether its contents differ from the version before."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from propsync.documents.kinds import Kind
from propsync.documents.worker.client import WorkerPool
from propsync.documents.zips.bundle import Bounds, Bundle, member_pieces, read_bundle
from propsync.errors import DocumentDamaged
from propsync.storage import disk_errors, partial_file, write_all

_PDF = ".pdf"
_LARGE = 32_000_000  # bytes above which this process reads a bundle itself, without a time limit; such bundles are few
Content = Bundle | list[str]
"""The contents of a document: a bundle's members, or a report's text by page."""


class DocumentReader:
    """Checks and compares documents; ZIPs within `bounds`, PDFs in a separate process. Threads may share it."""

    def __init__(self, bounds: Bounds, pdf: WorkerPool, work: Path) -> None:
        """`work` is a folder for PDFs taken out of a bundle for a moment."""
        self._bounds = bounds
        self._pdf = pdf
        self._work = work

    def start(self) -> None:
        """Starts the processes before documents come, so that they are ready for the first."""
        self._pdf.start()

    def check(self, kind: Kind, path: Path) -> Bundle | None:
        """The members of a bundle, None for a report. Raises DocumentDamaged if the file is not whole."""
        if kind.suffix == _PDF:
            self._pdf.check(path)
            return None
        return self._bundle(path)

    def text(self, path: Path) -> list[str]:
        """A report's text by page. Raises DocumentDamaged if it cannot be read."""
        return self._pdf.text(path)

    def content(self, kind: Kind, path: Path) -> Content:
        """The members of a bundle, or a report's text by page. Raises DocumentDamaged if it cannot be read."""
        return self._pdf.text(path) if kind.suffix == _PDF else self._bundle(path)

    def _bundle(self, path: Path) -> Bundle:
        is_large = path.stat().st_size > _LARGE
        return read_bundle(path, self._bounds) if is_large else self._pdf.bundle(path, self._bounds)

    def is_same(self, before: Path, after: Path, found: Bundle | None) -> bool:
        """Whether two versions differ in bytes alone: the same text on every page, the same members in a bundle.

        `found` is the result of `check` for the second. A PDF without any text (scanned pages) is never the same as
        another, because propsync does not compare pictures. Raises DiskFull and HomeUnusable if no file can be
        written for the comparison.
        """
        try:
            if found is None:
                return self._is_same_text(before, after)
            return not found.refused and self._is_same_bundle(before, after, found)
        except (DocumentDamaged, KeyError, OSError):  # KeyError: a member that only one of them lets propsync read
            return False

    def _is_same_text(self, before: Path, after: Path) -> bool:
        text = self._pdf.text(after)
        return any(page.strip() for page in text) and text == self._pdf.text(before)

    def _is_same_bundle(self, before: Path, after: Path, new: Bundle) -> bool:
        old = self._bundle(before)
        if old.refused:
            return False
        members, others = _by_name(old), _by_name(new)
        if members.keys() != others.keys():
            return False
        differing = [name for name in members if members[name] != others[name]]
        is_read = {one.name for one in new.members if one.refused is None}
        sides = ((before, old), (after, new))
        return all(
            name in is_read and name.lower().endswith(_PDF) and self._is_same_member(sides, name) for name in differing
        )

    def _is_same_member(self, sides: Sequence[tuple[Path, Bundle]], name: str) -> bool:
        with self._taken_out(*sides[0], name) as old, self._taken_out(*sides[1], name) as new:
            return self._is_same_text(old, new)

    @contextmanager
    def _taken_out(self, bundle: Path, members: Bundle, name: str) -> Iterator[Path]:
        """A member as a file under a name of our own, for the time of the comparison. Raises DiskFull, HomeUnusable."""
        with partial_file(self._work) as target:
            for piece in member_pieces(bundle, members, name):
                with disk_errors(self._work):  # a full disk is no difference between documents
                    write_all(target, piece)
            yield Path(target.name)


def _by_name(bundle: Bundle) -> dict[str, set[tuple[object, ...]]]:
    """The facts that differ between contents, of the members of that name; an unread one has only the ZIP's own.

    Equal members count once, and their order says nothing.
    """
    facts: dict[str, set[tuple[object, ...]]] = defaultdict(set)
    for one in bundle.members:
        facts[one.name].add((one.sha256 or one.refused, one.size_bytes, one.crc32))
    return facts
