"""`archive export`: a BagIt bag of stored documents that a regulator can read alone."""

from __future__ import annotations

import csv
import errno
import logging
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NoReturn

from propsync.documents.bag import PAYLOAD, make_bag
from propsync.documents.holdings import Holding, Holdings
from propsync.documents.kinds import KINDS
from propsync.documents.names import FolderNames
from propsync.errors import DiskFull, DocumentDamaged, UsageError
from propsync.progress import progress, size_in_words
from propsync.runbooks.archiving.bag_folder import unfinished
from propsync.runbooks.workplace import blobs_of, refuse_elsewhere
from propsync.runs import exit_code
from propsync.settings import Settings
from propsync.storage import disk_errors, sync_file
from propsync.warehouse import open_published

MOST_TOLD = 20
"""Documents left out that a report names; it counts the others."""
NO_PROPERTY = "_no-property"
"""The folder of documents whose assessment never had a property in any version."""
_CSV = "documents.csv"
_COLUMNS = (
    "assessment_id",
    "property_id",
    "kind",
    "version",
    "sha256",
    "size_bytes",
    "fetched_at",
    "assessment_status",
    "assessment_type_id",
    "assessment_type",
    "assessment_is_gone",
    "file",
)
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT)
_OF_THE_SYSTEM = (errno.EIO, errno.EMFILE, errno.ENFILE, errno.EFBIG)
_log = logging.getLogger("propsync.archive")


@dataclass
class ExportReport:
    """The content of the bag; `left_out` names some of the `not_exported` documents, and properties without
    documents. `lacking` are documents that propsync wants and has not, or has only as they were before. `hidden` are
    those of hidden types, of whatever property; `removed` are those that an erasure or the years of documents took.
    """

    folder: str
    documents: int = 0
    size_bytes: int = 0
    not_exported: int = 0
    lacking: int = 0
    hidden: int = 0
    removed: int = 0
    left_out: list[str] = field(default_factory=list)

    @property
    def status(self) -> str:
        """ok, or attention if a requested document is not in the bag."""
        return "attention" if self.left_out else "ok"

    @property
    def exit_code(self) -> int:
        """0 all well, 3 something was left out."""
        return exit_code(self.status)

    def to_json(self) -> dict[str, Any]:
        """For `--json`."""
        return {"status": self.status, **self.__dict__}


def export(
    settings: Settings,
    folder: Path,
    properties: Sequence[str] = (),
    *,
    all_versions: bool = False,
    organisation: str | None = None,
) -> ExportReport:
    """Makes the bag `folder`, whole or not at all, from the published documents; takes no lock and never calls the
    API.

    Raises UsageError (exit 2) for a folder that is not empty or cannot be made, and if there is nothing to export.
    Raises SettingsError for a home in a bucket that the settings do not name. A full disk raises DiskFull, and one that
    fails HomeUnusable: both exit 1.
    """
    target = _free_folder(settings, folder)
    _check_text(organisation or "")
    with open_published(settings.published / "warehouse.duckdb") as reader:
        refuse_elsewhere(settings)
        holdings = Holdings(reader, properties, all_versions=all_versions)
        report = ExportReport(str(target))
        report.left_out += _without_documents(holdings, properties)
        report.lacking = holdings.lacking()
        report.left_out += _lacking_in_words(report.lacking)
        report.hidden = holdings.hidden()
        report.removed = holdings.removed()
        with _made_beside(target, holdings) as bag:
            _Export(settings, holdings, bag / PAYLOAD, report).copy_all()
            _log.info("hashing the bag, and validating it")
            make_bag(bag, _bag_info(report, settings, organisation))
            _put_in_place(bag, target)
    return report


def _free_folder(settings: Settings, folder: Path) -> Path:
    """The folder to make, links followed. Raises UsageError for one that exists, or is propsync's own."""
    target = folder.expanduser().resolve()
    own = (settings.published, settings.state, settings.landing, settings.home / "archive")
    if any(target.is_relative_to(one.resolve()) for one in own):
        raise UsageError(
            str(folder), "it is inside one of propsync's own folders", "Give a folder outside PROPSYNC_HOME"
        )
    if target.is_mount():
        raise UsageError(
            str(folder), "it is the root of a file system", "Give a folder inside it, which propsync creates"
        )
    if target.exists() and not (target.is_dir() and not any(target.iterdir())):
        raise UsageError(str(folder), "it exists and is not empty; propsync overwrites nothing", "Give a new folder")
    return target


def _check_text(organisation: str) -> None:
    try:
        organisation.encode()
    except UnicodeEncodeError as error:
        raise UsageError("--organisation", "it is not UTF-8 text", "Write it in UTF-8") from error


def _without_documents(holdings: Holdings, properties: Sequence[str]) -> list[str]:
    """A line for each requested property without documents. Raises UsageError if none has any."""
    found = holdings.properties()
    if not holdings.count()[0]:
        whose = "those properties have" if properties else "the archive has"
        see = 'Run `propsync query "from documents"`' if properties else "Run `propsync archive`, then export"
        raise UsageError("archive export", f"{whose} no stored document", see)
    return [f"property {one}: no document of it is stored" for one in dict.fromkeys(properties) if one not in found]


def _lacking_in_words(count: int) -> list[str]:
    what = "1 wanted document is" if count == 1 else f"{count:,} wanted documents are"
    return [f"{what} lacking or outdated; marts.document_coverage shows why"] if count else []


@contextmanager
def _made_beside(target: Path, holdings: Holdings) -> Iterator[Path]:
    """A new folder beside the target for unfinished files; it disappears if the target is not made."""
    with _our_errors(target), unfinished(target) as bag:
        free, needed = shutil.disk_usage(bag).free, holdings.count()[1]
        if needed > free:
            raise DiskFull(str(target), _room(needed, free), "Give a folder with more room")
        yield bag


def _room(needed: int, free: int) -> str:
    return f"{size_in_words(needed)} are to be copied, and {size_in_words(free)} are free"


class _Export:
    """Copies documents into a folder, and writes the table of them."""

    def __init__(self, settings: Settings, holdings: Holdings, payload: Path, report: ExportReport) -> None:
        self._holdings, self._payload, self._report = holdings, payload, report
        self._blobs = blobs_of(settings)
        self._properties = FolderNames(NO_PROPERTY, _CSV)
        self._assessments: dict[str, FolderNames] = {}

    def copy_all(self) -> None:
        """Copies one after the other; leaves out documents whose bytes have changed, and reports them."""
        self._payload.mkdir()
        with (self._payload / _CSV).open("x", encoding="utf-8", newline="") as file:
            table = csv.writer(file)
            table.writerow(_COLUMNS)
            with progress("Exporting", self._holdings.count()[0], "documents") as bar:
                for one in self._holdings.all():
                    name = self._name(one)
                    if self._copy(one, name):
                        table.writerow(_row(one, f"{PAYLOAD}/{name}"))
                    bar.advance(size=one.size_bytes)

    def _copy(self, one: Holding, name: str) -> bool:
        target = self._payload / name
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            self._blobs.copy(one.path, one.sha256, target)
        except DocumentDamaged as error:
            self._leave_out(one, error.what)
            return False
        self._report.documents += 1
        self._report.size_bytes += one.size_bytes
        return True

    def _leave_out(self, one: Holding, why: str) -> None:
        self._report.not_exported += 1
        if self._report.not_exported <= MOST_TOLD:
            named = f"{one.kind} of assessment {one.assessment_id}, version {one.version}"
            self._report.left_out.append(f"{one.path} ({named}): {why}")

    def _name(self, one: Holding) -> str:
        """Its path in the bag's payload: property, assessment, kind, and the version of an older one."""
        place = NO_PROPERTY if one.property_id is None else self._properties.of(one.property_id)
        assessment = self._assessments.setdefault(place, FolderNames()).of(one.assessment_id)
        version = "" if one.is_latest else f".v{one.version}"
        return f"{place}/{assessment}/{one.kind}{version}{KINDS[one.kind].suffix}"


def _row(one: Holding, file: str) -> list[object]:
    fields = one.__dict__ | {"fetched_at": one.fetched_at.astimezone(UTC).isoformat(timespec="seconds"), "file": file}
    fields["assessment_is_gone"] = "true" if one.assessment_is_gone else "false"
    return [fields[name] for name in _COLUMNS]


def _bag_info(report: ExportReport, settings: Settings, organisation: str | None) -> dict[str, str]:
    """The content of bag-info.txt."""
    lacking = f"; {report.not_exported:,} more could not be read and are not in it" if report.not_exported else ""
    lacking += f"; of {report.lacking:,} more, propsync has no copy or only an older one" if report.lacking else ""
    lacking += f"; {report.hidden:,} of hidden types, of whatever property, are not in it" if report.hidden else ""
    lacking += f"; {report.removed:,} that were erased or removed are not in it" if report.removed else ""
    fields = {
        "Bagging-Date": datetime.now(settings.zone).date().isoformat(),
        "External-Description": f"{report.documents:,} reports and bundles of property assessments, listed in "
        f"{PAYLOAD}/{_CSV}{lacking}",
    }
    return fields | ({"Source-Organization": organisation} if organisation else {})


def _put_in_place(bag: Path, target: Path) -> None:
    """Gives the bag its name, once all of it is on the disk."""
    for where, _, names in os.walk(bag, onerror=_refuse):
        for name in (*names, ""):
            sync_file(Path(where, name))
    bag.rename(target)  # replaces an empty folder, and nothing else
    sync_file(target.parent)


def _refuse(error: OSError) -> NoReturn:
    raise error  # `os.walk` takes a folder that it cannot list for an empty one, whose files are then not synced


@contextmanager
def _our_errors(target: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno in _NO_ROOM:
            raise DiskFull(str(target), "the disk is full", "Free some space there, then run it again") from error
        if error.errno in _OF_THE_SYSTEM:  # another folder may be no better
            with disk_errors(error.filename or target):
                raise
        what = f"it cannot be written: {error.strerror}"
        raise UsageError(str(target), what, "Give a folder that you can write to") from error
