"""The lines of `propsync status` about plans of which an apply was interrupted."""

from __future__ import annotations

from collections.abc import Sequence

from propsync.cli.terminal.tables import echo
from propsync.push.journals.journal import journals
from propsync.runbooks.push.abandoned import PUSH_LOCK
from propsync.runs import RunLock
from propsync.settings import Settings
from propsync.storage import LocalStorage, may_list


def unfinished_plans(settings: Settings) -> list[str]:
    """Their ids; none while an apply is at work. Only the account that runs propsync may see them."""
    if not may_list(settings.state) or RunLock(settings.state / PUSH_LOCK).is_held():
        return []
    return journals(LocalStorage(settings.home))


def print_unfinished(plans: Sequence[str]) -> None:
    """Prints a line for each, as `propsync push history` does."""
    for plan_id in plans:
        echo(f"Unfinished: plan {plan_id}, of which a part may be sent. Next: propsync push apply with this plan again")
