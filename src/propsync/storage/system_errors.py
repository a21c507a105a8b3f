"""The system's errors about disks and rights, in propsync's words: what is wrong where, and the next step."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from propsync.errors import GIVE_IT_BACK, LOOK_AT_DISK, DiskFull, FileLimited, HomeUnusable
from propsync.storage.room import against_many_files

_NO_ROOM = (errno.ENOSPC, errno.EDQUOT)
_NO_FILE = (errno.ESPIPE, errno.ENXIO)
PIPE = "a pipe, a socket or a device is in its place"
_IN_THE_WAY = (errno.EEXIST, errno.ENOTDIR, errno.ELOOP)
MORE_FILES = (
    "Raise the limit of open files (`ulimit -n`, or LimitNOFILE= of a service), then run the same command again"
)
NO_MATTER_WHERE = (LOOK_AT_DISK, MORE_FILES)
"""Steps against what is no question of rights: another place may be no better."""
_STEPS = {
    **dict.fromkeys((errno.EMFILE, errno.ENFILE), MORE_FILES),
    **dict.fromkeys((errno.EACCES, errno.EPERM, errno.EROFS), GIVE_IT_BACK),
    **dict.fromkeys(_NO_FILE, "Move that away, then run the same command again"),
    errno.EIO: LOOK_AT_DISK,
}


@contextmanager
def disk_errors(where: Path | str) -> Iterator[None]:
    """Turns the system's errors about disks and rights into propsync's."""
    try:
        yield
    except OSError as error:
        if error.errno == errno.EFBIG:
            raise FileLimited(str(where), "no file may grow further") from error
        if error.errno in _NO_ROOM:
            raise DiskFull(str(where), "the disk is full", against_many_files(Path(where))) from error
        if error.errno == errno.EXDEV:
            step = "Keep state/, landing/ and published/ on one disk: no mount or link to another, below PROPSYNC_HOME"
            what = "cannot be written: it is on another disk than the rest of home"
            raise HomeUnusable(str(where), what, step) from error
        if error.errno == errno.EISDIR:
            step = "Move that folder away, then run the same command again"
            raise HomeUnusable(str(where), "cannot be written: a folder is where the file belongs", step) from error
        if found := in_the_way(error):
            raise found from error
        if error.errno not in (None, errno.ENOENT):
            why = PIPE if error.errno in _NO_FILE else error.strerror
            raise HomeUnusable(str(where), f"cannot be written: {why}", step_against(error)) from error
        raise


def step_against(error: Exception) -> str | None:
    """The step against a missing right, a limit of open files or a failing disk; None for other errors."""
    return _STEPS.get(error.errno or 0) if isinstance(error, OSError) else None


def in_the_way(error: OSError) -> HomeUnusable | None:
    """The error in propsync's words if a file, or a link to nothing, is where something else belongs."""
    names = [name for name in (error.filename2, error.filename) if isinstance(name, str | bytes | os.PathLike)]
    paths = [Path(os.fsdecode(name)) for name in names]
    if error.errno == errno.ENOENT:
        paths = [path for path in paths if path.is_symlink()]
    elif error.errno not in _IN_THE_WAY:
        return None
    steps = (one for path in paths for one in (*reversed(path.parents), path))
    found = next((one for one in steps if os.path.lexists(one) and not one.is_dir()), None)
    if found is None:
        return None
    what, step = ("another file is in its place", "Move that file away")
    if found.is_symlink():
        what, step = "a link that leads nowhere is in its place", "Mend or remove that link"
    return HomeUnusable(str(found), f"cannot be used: {what}", f"{step}, then run the same command again")


def why_unread(error: Exception) -> str:
    """Why a file cannot be read, in the words of the system or of the decoder."""
    return f"it cannot be read: {(isinstance(error, OSError) and error.strerror) or error or type(error).__name__}"
