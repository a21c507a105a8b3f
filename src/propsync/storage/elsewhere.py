"""Places that people name for a file of theirs: where they may not write, another place helps."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from propsync.errors import HomeUnusable, UsageError
from propsync.storage.system_errors import NO_MATTER_WHERE


@contextmanager
def or_elsewhere(step: str, kind: type[HomeUnusable | UsageError] = UsageError) -> Iterator[None]:
    """Raises `kind` with the advice to take another place, or HomeUnusable if the disk fails whatever the place."""
    try:
        yield
    except HomeUnusable as error:
        if error.next_step in NO_MATTER_WHERE:
            raise
        raise kind(error.where, error.what, step) from error
