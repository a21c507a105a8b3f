"""Draws the dashboard at the end of a run, and on request; a page that fails costs no table."""

from __future__ import annotations

import logging
from collections.abc import Collection
from pathlib import Path

from propsync.errors import StopRun, UsageError
from propsync.publish import WAREHOUSE, Publisher
from propsync.runbooks.report import in_one_line
from propsync.runbooks.workplace import workplace
from propsync.runbooks.workspace import Workspace
from propsync.settings import Settings
from propsync.warehouse import SCHEMA_VERSION, Warehouse, open_published, statement

PAGE = "dashboard/index.html"
"""Below published/."""
_log = logging.getLogger("propsync.dashboard")


class _State:
    """The state database as the page reads it."""

    def __init__(self, warehouse: Warehouse) -> None:
        self.rows = warehouse.named_rows


def draw_dashboard(
    workspace: Workspace, run_id: str, withheld: Collection[str] = ()
) -> tuple[dict[str, bytes], list[str]]:
    """The page to publish, by its name, none if it failed; and a line for each part of it that failed.

    The page shows nothing of the tables in `withheld`, because their published rows are older.
    """
    from propsync.desk.dashboard import draw, note_headlines  # its libraries take 0.1 s to import

    try:
        page = draw(_State(workspace.warehouse), workspace.settings.zone, withheld)
        if page is None:
            return {}, []
        note_headlines(workspace.warehouse, run_id, page.today, page.numbers)
        return {PAGE: page.html}, page.errors
    except StopRun:
        raise
    except Exception as error:  # noqa: BLE001 - no fault of a page is worth a night's tables
        _log.debug("the dashboard failed", exc_info=True)
        return {}, [f"the dashboard keeps its earlier page: {in_one_line(error)}"]


def write_dashboard(settings: Settings) -> tuple[Path, list[str]]:
    """Draws the page of what is published, in its place; returns its path, and a line for each part that failed.

    Raises UsageError if nothing is published, or another version of propsync did that, whose tables lack columns of the
    page. Raises Busy, HomeUnusable, DiskFull too.
    """
    from propsync.desk.dashboard import draw

    published = settings.published / WAREHOUSE
    with open_published(published) as reader, workplace(settings, "propsync dashboard") as place:
        if reader.rows(statement("runbooks/schema_version"))[1] != [(SCHEMA_VERSION,)]:
            raise UsageError(str(published), "another version of propsync published it", "Run `propsync rebuild`")
        page = draw(reader, settings.zone)
        if page is None:
            raise UsageError("dashboard", "no run has read anything yet", "Run `propsync sync`")
        publisher = Publisher(
            settings.published, place.folder, settings.memory_limit, settings.time_zone, permit=place.check
        )
        return publisher.publish_page(PAGE, page.html), page.errors
