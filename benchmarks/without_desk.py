"""`python -m benchmarks.without_desk`: a nightly run that leaves the marts and the dashboard out, to see their cost."""

import sys

from propsync.runbooks import Step, nightly
from propsync.settings import load_settings


def _all_else(name: str, step: Step) -> None:
    if name not in ("marts", "dashboard"):
        step()


if __name__ == "__main__":
    sys.exit(nightly(load_settings(), call=_all_else).exit_code)
