"""The commands that run until somebody interrupts them, and their options."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from propsync.cli import common_options as given
from propsync.cli.common_options import AsJson, settings
from propsync.errors import UsageError


def serve(
    port: Annotated[
        int, typer.Option(metavar="PORT", min=1, max=65535, help="Port for Prefect's pages and API.")
    ] = 4200,
    host: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS",
            help="Address to listen on. If other machines can reach it, anyone with the password can run things.",
        ),
    ] = "127.0.0.1",
) -> None:
    """Run Prefect on this machine. Starts a server, a worker and the deployments, and runs until interrupted."""
    from propsync.cli.services.serve import run_serve

    raise typer.Exit(run_serve(settings(), given.config, host, port))


def webhook(
    port: Annotated[
        int, typer.Option(metavar="PORT", min=1, max=65535, help="Port to listen on, behind your TLS proxy.")
    ] = 4280,
    host: Annotated[
        str, typer.Option(metavar="ADDRESS", help="Address to listen on. Only your proxy should reach it.")
    ] = "127.0.0.1",
    read: Annotated[bool, typer.Option("--read", help="Receive nothing. Read once what earlier hints name.")] = False,
    prefect: Annotated[
        bool, typer.Option("--prefect", help="Let Prefect's deployment `hints` read, instead of this program.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Receive hints about changes, and read what they name. Runs until interrupted."""
    from propsync.cli.services.webhook import run_read, run_webhook

    if as_json and not read:
        raise UsageError("--json", "it needs --read", "Use both, or neither")
    if read and prefect:
        raise UsageError("--prefect", "the deployment reads instead of --read", "Use only one of them")
    if read:
        raise typer.Exit(run_read(settings(), as_json=as_json))
    raise typer.Exit(run_webhook(settings(), given.config, host, port, tells_prefect=prefect))


def sandbox(
    port: Annotated[int, typer.Option(metavar="PORT", max=65535, help="Port on loopback; 0 picks a free one.")] = 0,
    scale: Annotated[int, typer.Option(metavar="N", min=1, help="Number of assets to make up.")] = 2_000,
    faults: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="JSON file of faults to simulate (see docs/sandbox.md).", show_default=False),
    ] = None,
    seed: Annotated[int | None, typer.Option(metavar="N", help="Make up another world.", show_default="7")] = None,
    today: Annotated[
        str | None,
        typer.Option(metavar="DATE", help="The first date in that world; default: today.", show_default=False),
    ] = None,
    reference: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Write properties, users and requirements there, as CSV.", show_default=False),
    ] = None,
    properties: Annotated[
        bool, typer.Option("--properties", help="Serve /properties too, a list for [resources] to name.")
    ] = False,
    normalise: Annotated[
        bool, typer.Option("--normalise", help="Tidy the values that callers write, as some systems do.")
    ] = False,
    hints: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="JSON file with an address that gets hints (see docs/sandbox.md).", show_default=False
        ),
    ] = None,
) -> None:
    """Serve the whole API with made-up data. Runs on this machine until interrupted."""
    from propsync.cli.services.sandbox import command

    arguments = command(
        port=port,
        scale=scale,
        seed=seed,
        today=today,
        faults=faults,
        reference=reference,
        properties=properties,
        normalise=normalise,
        hints=hints,
    )
    os.execv(arguments[0], arguments)
