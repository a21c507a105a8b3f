"""People's own lists, which propsync reads in every run and never writes."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator

from propsync.errors import UsageError
from propsync.runbooks.erasure.readings import readings
from propsync.settings import Settings
from propsync.suppression import Suppression


def refuse_own_lists(settings: Settings, suppression: Suppression) -> None:
    """Raises UsageError if a file of people's own has it: the next run would read it again."""
    for place in own_lists_with(settings, suppression):
        what = "it is one of your own files and has it, and propsync does not write such files"
        raise UsageError(place, what, "Take it out of the file, then erase")


def own_lists_with(settings: Settings, suppression: Suppression) -> Iterator[str]:
    """The files of people's own that have it."""
    for name, given in settings.reference.items():
        path = settings.home / str(given)
        if path.exists() and any(map(suppression.sees, _texts_of(path.read_bytes()))):
            yield f"{path} ([reference] {name})"


def _texts_of(content: bytes) -> Iterator[str]:
    """The texts of a CSV or a spreadsheet."""
    yield from readings(content)
    if zipfile.is_zipfile(io.BytesIO(content)):
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for name in archive.namelist():
                yield from readings(archive.read(name))
