"""Every file below a folder and every object of a bucket, also those that change while a search runs."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path
from typing import BinaryIO, cast

from propsync.errors import PropsyncError
from propsync.progress import progress
from propsync.storage import Storage, open_file
from propsync.traces.findings import Findings, Place
from propsync.traces.looking import Equipment, look

_ROUNDS = 3  # readings of what changed meanwhile
_IN_MEMORY = 8 << 20
_CHANGED = "it changed again and again while propsync read it"
Stamp = tuple[object, ...]


def look_below(home: Path, equipment: Equipment) -> Findings:
    """Every file below `home`, through links too; names of files count as text."""
    found, known = Findings(), dict[str, Stamp]()
    for number in range(_ROUNDS):
        files, unread = _files(home)
        changed = [name for name, stamp in files.items() if known.get(name) != stamp]
        if not changed:
            break
        found.unread += unread if number == 0 else []
        with progress("Searching", len(changed), "files") as bar:
            for name in changed:
                found.add(_file(home, name, equipment))
                bar.advance()
        known |= {name: files[name] for name in changed}
    else:
        files, _ = _files(home)
        found.unread += [Place(name, "", _CHANGED) for name, stamp in files.items() if known.get(name) != stamp]
    return found


def look_in_bucket(bucket: Storage, url: str, equipment: Equipment) -> Findings:
    """Every object of the bucket below the folder of `url`. Raises StorageAway, StorageRefused."""
    found, known = Findings(), dict[str, str]()
    for _ in range(_ROUNDS):
        changed = {key: tag for key, tag in bucket.tags("") if known.get(key) != tag}
        if not changed:
            return found
        with progress("Searching", len(changed), "objects") as bar:
            for key in changed:
                found.add(_object(bucket, key, f"{url}/{key}", equipment))
                bar.advance()
        known |= changed
    found.unread += [Place(f"{url}/{key}", "", _CHANGED) for key, tag in bucket.tags("") if known.get(key) != tag]
    return found


def _files(home: Path) -> tuple[dict[str, Stamp], list[Place]]:
    """The files with what tells when one changes, and the folders that cannot be listed."""
    files: dict[str, Stamp] = {}
    unread: list[Place] = []
    seen: set[tuple[int, int]] = set()

    def note(error: OSError) -> None:
        if not isinstance(error, FileNotFoundError):
            unread.append(Place(os.path.relpath(error.filename, home), "", error.strerror or "it cannot be listed"))

    for folder, inner, names in os.walk(home, followlinks=True, onerror=note):
        inner[:] = sorted(name for name in inner if _is_new(Path(folder, name), seen))
        for name in sorted(names):
            path = Path(folder, name)
            try:
                known = path.stat()
            except OSError as error:
                note(error)
                continue
            if stat.S_ISREG(known.st_mode):
                files[str(path.relative_to(home))] = (known.st_ino, known.st_size, known.st_mtime_ns)
    return files, unread


def _is_new(folder: Path, seen: set[tuple[int, int]]) -> bool:
    """Whether no link led there before."""
    try:
        known = folder.stat()
    except OSError:
        return True  # the walk itself says why it cannot be listed
    place = (known.st_dev, known.st_ino)
    is_new = place not in seen
    seen.add(place)
    return is_new


def _file(home: Path, name: str, equipment: Equipment) -> Findings:
    try:
        with open_file(home / name) as file:
            found = look(name, file, equipment)
    except FileNotFoundError:
        return Findings()  # a run removed it meanwhile
    except OSError as error:
        found = Findings(unread=[Place(name, "", error.strerror or "it cannot be read")], files=1)
    return _with_name(found, name, equipment)


def _object(bucket: Storage, key: str, name: str, equipment: Equipment) -> Findings:
    with tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY, dir=str(equipment.folder)) as file:
        try:
            for block in bucket.read(key):
                file.write(block)
            file.fileno()  # only what is on the disk has one
            found = look(name, cast(BinaryIO, file), equipment)
        except FileNotFoundError:
            return Findings()
        except PropsyncError as error:
            found = Findings(unread=[Place(name, "", error.what)], files=1)
    return _with_name(found, key, equipment)


def _with_name(found: Findings, name: str, equipment: Equipment) -> Findings:
    if equipment.needle.is_in(name):
        found.traces.append(Place(name, "its name"))
    return found
