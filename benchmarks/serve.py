"""`python -m benchmarks.serve`: an estate behind nginx, to try things by hand; Enter lets a night pass."""

import argparse
import tempfile
from collections.abc import Sequence
from itertools import count
from pathlib import Path

from benchmarks.estate import KINDS, Estate
from benchmarks.nginx import serving
from benchmarks.verdict import SMALL


def main(argv: Sequence[str] | None = None) -> None:
    """Prints the settings that propsync wants, then shows one night after the other."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.serve", description=__doc__)
    parser.add_argument("--scale", type=int, default=SMALL, help="assets (9000)")
    parser.add_argument("--kind", choices=KINDS, default="plain", help="the kind of data (plain)")
    parser.add_argument("--night", type=int, default=0, help="the first night to be shown (0)")
    arguments = parser.parse_args(argv)
    estate = Estate(arguments.scale, kind=arguments.kind)
    with tempfile.TemporaryDirectory(prefix="propsync-estate-") as folder, serving(Path(folder)) as api:
        print(f"export PROPSYNC_BASE_URL={api.base_url} PROPSYNC_TOKEN={api.token}", flush=True)
        for night in count(arguments.night):
            estate.write(Path(folder) / f"night-{night}", night)
            api.show(Path(folder) / f"night-{night}")
            print(f"night {night} of {arguments.scale:,} assets; Enter for the next, Ctrl-D to end", flush=True)
            try:
                input()
            except (EOFError, KeyboardInterrupt):
                return


if __name__ == "__main__":
    main()
