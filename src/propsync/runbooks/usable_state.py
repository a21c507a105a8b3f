"""Finds out, without the lock, whether a run can use the state database."""

from __future__ import annotations

from propsync.runbooks.workspace import WAREHOUSE
from propsync.settings import Settings
from propsync.warehouse import SCHEMA_VERSION, open_published, statement


def why_unusable(settings: Settings) -> str | None:
    """The reason why a run would refuse the state database; None if nothing shows one.

    Another run may hold it, so the published file, a copy of it, says of which version it is.
    """
    published = settings.published / WAREHOUSE
    if not published.is_file():
        return None
    if not (settings.state / WAREHOUSE).exists():
        return "it is missing, though tables are published"
    with open_published(published) as reader:
        version = reader.rows(statement("runbooks/schema_version"))[1][0][0]
    return None if version == SCHEMA_VERSION else f"its schema version is {version}, not {SCHEMA_VERSION}"
