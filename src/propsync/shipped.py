"""The files that are not Python modules: sql/, flows/ and prefect.yaml, from the wheel or from the checkout."""

from __future__ import annotations

from functools import cache
from pathlib import Path

_PACKAGED = Path(__file__).parent / "_shipped"
_CHECKOUT = Path(__file__).parents[2]


@cache
def shipped(name: str) -> Path:
    """Where `sql`, `flows` or `prefect.yaml` is: the packaged copy, else the checkout."""
    packaged = _PACKAGED / name
    return packaged if packaged.exists() else _CHECKOUT / name


def find_flows() -> dict[str, str]:
    """A Prefect pull step: finds the flows in the installed propsync on any machine that has a worker."""
    return {"directory": str(shipped("prefect.yaml").parent)}
