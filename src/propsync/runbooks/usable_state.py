"""Finds out whether a run can use the state database."""

from __future__ import annotations

from pathlib import Path

from propsync.errors import UsageError
from propsync.publish import read_note
from propsync.runbooks.workspace import WAREHOUSE
from propsync.runs import RunLock
from propsync.settings import Settings
from propsync.storage import open_file
from propsync.warehouse import SCHEMA_VERSION, open_published, statement

_MARK = slice(8, 12)
"""The bytes of a DuckDB file that say that it is one; a full disk or a broken-off copy may leave others."""


def why_unusable(settings: Settings) -> str | None:
    """The reason why a run would refuse the state database; None if nothing shows one.

    Another run may hold it, so the published file, a copy of it, says of which version it is. Only if nobody is at
    work, propsync looks into the state itself.
    """
    published = settings.published / WAREHOUSE
    if not published.is_file():
        return None
    state = settings.state / WAREHOUSE
    if not state.exists():
        return "it is missing, though tables are published"
    if not state.is_file() or not _is_database(state):
        return "it is not a DuckDB database"
    with open_published(published) as reader:
        version = reader.rows(statement("runbooks/schema_version"))[1][0][0]
    if version != SCHEMA_VERSION:
        return f"its schema version is {version}, not {SCHEMA_VERSION}"
    with RunLock(settings.state / "run.lock").looking() as is_free:
        return _why_refused(state, read_note(settings.published).get("run")) if is_free else None


def _why_refused(state: Path, published: str | None) -> str | None:
    """The reason that the file itself shows: it is damaged, or somebody restored an older one."""
    try:
        with open_published(state) as reader:
            ((runs,),) = next(reader.lots(statement("runs/is_known"), {"run_id": published}))
    except UsageError as error:
        return error.what
    return None if runs or published is None else f"it does not hold run {published}, whose tables are published"


def _is_database(path: Path) -> bool:
    with open_file(path) as file:
        return file.read(_MARK.stop)[_MARK] == b"DUCK"
