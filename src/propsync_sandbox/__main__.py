"""`python -m propsync_sandbox`: serve a made-up world until SIGINT or SIGTERM."""

import argparse
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from datetime import date, datetime
from pathlib import Path
from typing import NoReturn

from .faults import read_fault_plan
from .hints import read_hint_plan
from .order import ORDERS
from .reference import write_reference
from .sandbox import Sandbox

_PORTS = 65_535
_MOST_ASSETS = 1_000_000


def _number(text: str) -> int:
    if not text.isascii() or not text.isdecimal():
        raise argparse.ArgumentTypeError(f"write a whole number, 0 or more, not {text!r}")
    return int(text)


def _port(text: str) -> int:
    if (number := _number(text)) > _PORTS:
        raise argparse.ArgumentTypeError(f"write a port of 0 to {_PORTS}, not {text!r}")
    return number


def _scale(text: str) -> int:
    if (number := _number(text)) > _MOST_ASSETS:
        raise argparse.ArgumentTypeError(f"write a number of assets of 0 to {_MOST_ASSETS}, not {text!r}")
    return number


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"write a date such as 2026-03-02, not {text!r}") from None


def _real_today() -> date:
    return datetime.now().astimezone().date()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="propsync sandbox",
        usage=argparse.SUPPRESS,  # a mistake is one line, and `propsync sandbox --help` has the usage
        description="The whole API, with made-up data.",
    )
    parser.add_argument("--port", type=_port, default=0, help="default: a free one")
    parser.add_argument("--scale", type=_scale, default=2000, help="number of assets (2000)")
    parser.add_argument("--seed", type=int, default=7, help="a different seed makes a different world (7)")
    parser.add_argument(
        "--today", type=_day, metavar="DATE", default=_real_today(), help="the world's first date; default: today"
    )
    parser.add_argument("--token", help="the bearer token to accept; default: made from the seed")
    parser.add_argument("--faults", type=Path, metavar="FILE", help="a fault plan in JSON")
    parser.add_argument("--order", choices=ORDERS, default="stable", help="order of list results (stable)")
    parser.add_argument(
        "--reference", type=Path, metavar="DIR", help="write properties, users and requirements there, as CSV"
    )
    parser.add_argument("--properties", action="store_true", help="serve /properties, which is undocumented")
    parser.add_argument("--no-journal", action="store_true", help="keep no log of what was shown")
    parser.add_argument("--no-gzip", action="store_true", help="never compress")
    parser.add_argument("--signed-links", action="store_true", help="links in values differ at every request")
    parser.add_argument("--normalise", action="store_true", help="tidy values that callers write, as some systems do")
    parser.add_argument("--hints", type=Path, metavar="FILE", help="post hints of changes, by a plan in JSON")
    parser.add_argument("--accept-ranges", action="store_true", help="documents in byte ranges")
    return parser


def _sandbox(arguments: argparse.Namespace) -> Sandbox:
    return Sandbox(
        scale=arguments.scale,
        seed=arguments.seed,
        today=arguments.today,
        port=arguments.port,
        token=arguments.token,
        order=arguments.order,
        faults=read_fault_plan(arguments.faults) if arguments.faults else (),
        journal=not arguments.no_journal,
        gzip=not arguments.no_gzip,
        accept_ranges=arguments.accept_ranges,
        signed_links=arguments.signed_links,
        properties=arguments.properties,
        normalise=arguments.normalise,
        hints=read_hint_plan(arguments.hints) if arguments.hints else None,
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Exits with 0 after a signal, 1 if it cannot use the port or the folder, 2 on wrong usage or a wrong plan."""
    arguments = _parser().parse_args(argv)
    _at_signals(_end_now)  # a large world takes minutes to make up
    try:
        sandbox = _sandbox(arguments)
        if arguments.reference:
            write_reference(sandbox.world, arguments.reference)
    except ValueError as error:
        return _complain(str(error), 2)
    except OSError as error:
        return _complain(f"cannot start: {error.strerror or error}. {_advice(error)}", 1)
    ended = threading.Event()
    _at_signals(ended.set)
    with sandbox:
        print(f"propsync sandbox at {sandbox.base_url}  token: {sandbox.token}", flush=True)  # noqa: T201  a program prints
        ended.wait()
    return 0


def _advice(error: OSError) -> str:
    if error.filename:
        return f"Check {error.filename}"
    return "Give another --port, or stop the program that has it"


def _at_signals(act: Callable[[], None]) -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: act())


def _end_now() -> NoReturn:
    raise SystemExit(0)


def _complain(message: str, status: int) -> int:
    print(f"propsync sandbox: {message}", file=sys.stderr)  # noqa: T201  a program complains
    return status


if __name__ == "__main__":
    sys.exit(main())
