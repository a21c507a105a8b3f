"""`propsync dictionary`: every column of what is published, to search or to hand on."""

from __future__ import annotations

import sys

from propsync.cli.terminal import output
from propsync.desk.dictionary import FORMATS, entries
from propsync.settings import Settings
from propsync.warehouse import open_published


def run_dictionary(settings: Settings, output_format: str) -> None:
    """Prints it. Raises UsageError if nothing is published."""
    with open_published(settings.published / "warehouse.duckdb", settings.time_zone) as reader:
        written = FORMATS[output_format](list(entries(reader)))
    try:
        sys.stdout.write(written)
        sys.stdout.flush()
    except OSError as error:
        output.lose(error)
