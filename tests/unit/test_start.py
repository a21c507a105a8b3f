"""How much a command loads before it begins: each library takes a tenth of a second or more."""

from __future__ import annotations

import subprocess
import sys

SELDOM = {"altair", "deltalake", "jinja2", "numpy", "obstore", "openpyxl", "pandas", "prefect", "pyarrow", "uvicorn"}
"""Libraries that most nights do without."""


def test_a_run_begins_without_libraries_that_few_commands_need() -> None:
    code = f"import sys, propsync.cli.main, propsync.runbooks; print(*sorted({SELDOM} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split() == []
