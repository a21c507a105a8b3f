"""The parts that make two readings of a record one version if they are equal, stated without propsync's help."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from typing import Any

_SIGNATURE = re.compile(r"\?signature=[0-9a-f]+")


def canonical(resource: str, payload: str | bytes) -> Any:
    """A record as Python values that compare equal if they are one version; signatures of links are left out."""
    text = payload.decode() if isinstance(payload, bytes) else payload
    record = json.loads(unsigned(text), parse_float=Decimal)
    if resource == "assets":
        record["fields"] = {result["field"]: result for result in record["fields"]}
    if resource == "schedules":
        record.pop("asset", None)
        record["assignedUsers"] = sorted(record["assignedUsers"])
    return record


def unsigned(payload: str) -> str:
    """A payload whose links have no signatures: each answer has its own, and equal versions share one answer's."""
    return _SIGNATURE.sub("", payload)
