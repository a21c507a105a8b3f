"""Loads the same lists as dlt's documentation begins: its REST source and a pipeline, with nothing set.

    python begin.py merge|scd2 BASE_URL TOKEN FOLDER LIMIT

Runs in an environment of its own (`make bench-peers`). LIMIT is the records of a page; the source reads until a page
is empty.
"""

import os
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

os.environ |= {"RUNTIME__DLTHUB_TELEMETRY": "false", "RUNTIME__LOG_LEVEL": "ERROR"}

import dlt
from dlt.sources.rest_api import rest_api_source

STATUSES = "inprogress,submitted,approved"
DISPOSITIONS: dict[str, Any] = {"merge": "merge", "scd2": {"disposition": "merge", "strategy": "scd2"}}


def estate(base_url: str, token: str, disposition: str, limit: int) -> Any:
    """The three resources; the two lists of assessments are one table."""
    return rest_api_source(
        {
            "client": {
                "base_url": base_url,
                "auth": {"type": "bearer", "token": token},
                "paginator": {"type": "page_number", "base_page": 1, "total_path": None},
            },
            "resource_defaults": {"write_disposition": DISPOSITIONS[disposition], "primary_key": "id"},
            "resources": [
                _list("assets", "properties/assets", limit),
                _list("assessments_for", "assessments", limit, performed="For", **_EVERY_ASSESSMENT),
                _list("assessments_by", "assessments", limit, performed="By", **_EVERY_ASSESSMENT),
                {**_list("schedules", "assessments/schedules", limit), "primary_key": ["property", "type"]},
            ],
        }
    )


_EVERY_ASSESSMENT = {"status": STATUSES, "includeflags": "true"}


def _list(name: str, path: str, limit: int, **params: str) -> Any:
    member = path.rpartition("/")[2]
    endpoint = {"path": path, "params": {"limit": limit, **params}, "data_selector": member}
    return {"name": name, "table_name": member, "endpoint": endpoint}


def main(disposition: str, base_url: str, token: str, folder: str, limit: str) -> None:
    """One run of the pipeline in the folder."""
    pipeline = dlt.pipeline(
        "estate",
        pipelines_dir=str(Path(folder) / "pipelines"),
        destination=dlt.destinations.duckdb(str(Path(folder) / "warehouse.duckdb")),
        dataset_name="estate",
    )
    pipeline.run(estate(base_url, token, disposition, int(limit))).raise_on_failed_jobs()
    print(f"dlt {dlt.__version__} with duckdb {version('duckdb')}")


if __name__ == "__main__":
    main(*sys.argv[1:])
