"""`propsync sandbox`: starts the sandbox, which is a separate program and shares no code with propsync."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from propsync.errors import UsageError


@dataclass(frozen=True)
class Address:
    """The address of a started sandbox, and its token."""

    base_url: str
    token: str


def command(
    *,
    port: int = 0,
    scale: int = 2_000,
    seed: int | None = None,
    today: str | None = None,
    faults: Path | None = None,
    reference: Path | None = None,
    properties: bool = False,
    normalise: bool = False,
    hints: Path | None = None,
) -> list[str]:
    """The command line of the sandbox. Raises UsageError if its extra is not installed."""
    if importlib.util.find_spec("fpdf") is None:
        raise UsageError("sandbox", "its libraries are not installed", "Run: pip install 'propsync[sandbox]'")
    extras = {"--seed": seed, "--today": today, "--faults": faults, "--reference": reference}
    extras |= {"--hints": hints}
    named = [word for name, value in extras.items() if value is not None for word in (name, str(value))]
    switches = {"--properties": properties, "--normalise": normalise}
    named += [name for name, is_on in switches.items() if is_on]
    return [sys.executable, "-m", "propsync_sandbox", "--port", str(port), "--scale", str(scale), *named]


@contextmanager
def running(*, scale: int, reference: Path, today: date) -> Iterator[Address]:
    """A sandbox on a free loopback port during the block. Raises UsageError if it does not start."""
    words = command(scale=scale, reference=reference, today=today.isoformat())
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            words = process.stdout.readline().split()
            if "token:" not in words:
                raise UsageError("sandbox", "it did not start", "Run `propsync sandbox` to see why")
            yield Address(next(word for word in words if word.startswith("http")), words[words.index("token:") + 1])
        finally:
            process.terminate()
