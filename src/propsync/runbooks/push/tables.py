"""The published tables that writing back compares with, and from which the doctor takes what marts rest on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from propsync.errors import UsageError
from propsync.publish import WAREHOUSE
from propsync.settings import Settings
from propsync.warehouse import PublishedReader, open_published, statement


@contextmanager
def open_tables(settings: Settings) -> Iterator[PublishedReader]:
    """A handle on the published file. Raises UsageError if there is none, or it has no table of writes yet."""
    path = settings.published / WAREHOUSE
    with open_published(path, settings.time_zone) as reader:
        if not reader.rows(statement("push/has_writes"))[1][0][0]:
            raise UsageError(str(path), "an earlier version of propsync published it", "Run `propsync rebuild`")
        yield reader
