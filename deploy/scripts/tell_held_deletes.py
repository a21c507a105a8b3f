"""An example automation: whenever a run holds deletes, Prefect posts a line to an address of yours.

PREFECT_API_URL=http://127.0.0.1:4200/api python deploy/scripts/tell_held_deletes.py https://hooks.example.org/…
"""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import Any

import httpx
from prefect.automations import Automation
from prefect.blocks.webhook import Webhook
from prefect.events.actions import CallWebhook
from prefect.events.schemas.automations import EventTrigger, Posture
from prefect.events.schemas.events import ResourceSpecification
from prefect.settings import get_current_settings
from pydantic import SecretStr

NO_SERVER = "no Prefect server is known: set PREFECT_API_URL, or read the client.env of `propsync serve`"
NAME = "propsync: deletes are held"
# Prefect fills in the event's values
PAYLOAD = (
    '{"text": "propsync holds {{ event.payload.held }} deletes of {{ event.payload.resource }}. '
    'See ops.held_deletes; if they are to go: propsync sync --accept-deletes {{ event.payload.run_id }}"}'
)


def main(words: list[str]) -> str:
    """Stores the address in a block, which Prefect encrypts, and creates or replaces the automation; says which."""
    url = words[0] if len(words) == 1 else ""
    if not url.startswith(("https://", "http://")):
        sys.exit("usage: python deploy/scripts/tell_held_deletes.py https://hooks.example.org/…")
    if get_current_settings().api.url is None:  # Prefect would start a server for this moment
        sys.exit(NO_SERVER)
    block: Any = Webhook(method="POST", url=SecretStr(url)).save("propsync-held-deletes", overwrite=True)
    wanted = Automation(
        name=NAME,
        trigger=EventTrigger(
            expect={"propsync.deletes.held"},
            match=ResourceSpecification({"prefect.resource.id": "propsync.run.*"}),
            posture=Posture.Reactive,
            threshold=1,
        ),
        actions=[CallWebhook(block_document_id=block, payload=PAYLOAD)],
    )
    with suppress(ValueError):  # it did not exist
        before: Any = Automation.read(name=NAME)
        before.delete()
    wanted.create()
    return f"made the automation {NAME!r}; try it: Automations in the pages, or hold some deletes"


if __name__ == "__main__":
    try:
        sys.stdout.write(main(sys.argv[1:]) + "\n")
    except httpx.HTTPError as error:
        sys.exit(f"Prefect's server did not take it: {error}. Check PREFECT_API_URL and PREFECT_API_AUTH_STRING")
