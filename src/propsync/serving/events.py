"""Tells a Prefect server that hints are due, as an event that starts the deployment `hints`."""

from __future__ import annotations

import base64
import os
import shlex
import uuid
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from propsync.errors import UsageError
from propsync.serving.server import Server

EVENT, RESOURCE = "propsync.hints.due", "propsync.hints"
_STEP = "Set PREFECT_API_URL to the API of your Prefect server, or start `propsync serve`"


def announce_hints(home: Path) -> None:
    """Sends the event. Raises UsageError if no server is known, StopRun if it does not take the event."""
    known = _known(home)
    url = known.get("PREFECT_API_URL")
    if not url:
        raise UsageError("webhook", "no Prefect server is known", _STEP)
    event = {
        "id": str(uuid.uuid4()),
        "occurred": datetime.now(UTC).isoformat(),
        "event": EVENT,
        "resource": {"prefect.resource.id": RESOURCE, "prefect.resource.name": "hints of the service"},
        "related": [],
        "payload": {},
    }
    Server(url.rstrip("/"), _login(known)).post("/events", [event])


def _known(home: Path) -> dict[str, str]:
    """The address and credentials of the server; the password of this home's service goes to no other server."""
    own = {name: value for name, value in os.environ.items() if name.startswith("PREFECT_") and value}
    service = _of_service(home)
    is_other = "PREFECT_API_URL" in own and own["PREFECT_API_URL"] != service.get("PREFECT_API_URL")
    return own if is_other else {**service, **own}


def _of_service(home: Path) -> dict[str, str]:
    """The address and password of the `propsync serve` of this home, new at each of its starts; empty without one."""
    try:
        lines = (home / "prefect" / "client.env").read_text(encoding="utf-8").splitlines()
    except OSError:
        return {}
    words = [word for line in lines for word in shlex.split(line)[1:]]
    return {name: value for name, _, value in (word.partition("=") for word in words)}


def _login(known: Mapping[str, str]) -> dict[str, str]:
    if words := known.get("PREFECT_API_AUTH_STRING"):
        return {"Authorization": f"Basic {base64.b64encode(words.encode()).decode()}"}
    return {"Authorization": f"Bearer {key}"} if (key := known.get("PREFECT_API_KEY")) else {}
