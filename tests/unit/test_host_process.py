"""The library changes nothing of the process that imports it; the command line and the flows may, it is theirs."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "propsync"
PROGRAMS = {"documents/worker/program.py", "serving/launcher.py"}
"""Each runs in a process of its own, and does nothing where it is only imported."""

STATE = """
import atexit, gc, importlib, logging, os, pkgutil, signal, socket, sys, threading, warnings
import httpcore, resource, locale, decimal

def import_all():
    import propsync
    for one in pkgutil.walk_packages(propsync.__path__, "propsync."):
        if not one.name.startswith(("propsync.cli", "propsync._shipped")):
            importlib.import_module(one.name)

def state():
    mask = os.umask(0o022)
    os.umask(mask)
    root = logging.getLogger()
    return {
        "gc": (gc.isenabled(), gc.get_threshold(), gc.get_freeze_count(), len(gc.callbacks), gc.get_debug()),
        "signals": {one: signal.getsignal(one) for one in signal.valid_signals()},
        "timers": signal.getitimer(signal.ITIMER_REAL),
        "httpcore": (httpcore.HTTP11Connection.READ_NUM_BYTES, httpcore.HTTP11Connection.MAX_INCOMPLETE_EVENT_SIZE),
        "root logger": (root.level, list(root.handlers), list(root.filters), logging.root.manager.disable),
        "log records": (logging.getLogRecordFactory(), logging.getLoggerClass(), logging.raiseExceptions),
        "loggers": {name: (logging.getLogger(name).level, list(logging.getLogger(name).handlers))
                    for name in ("propsync", "httpx", "httpcore", "httpcore.http11", "prefect")},
        "warnings": list(warnings.filters),
        "hooks": (sys.excepthook, sys.unraisablehook, sys.displayhook, threading.excepthook),
        "limits": [resource.getrlimit(getattr(resource, one)) for one in dir(resource) if one.startswith("RLIMIT_")],
        "interpreter": (sys.getswitchinterval(), sys.getrecursionlimit(), socket.getdefaulttimeout(), list(sys.path)),
        "process": (mask, locale.setlocale(locale.LC_ALL), os.getcwd(), dict(os.environ), decimal.getcontext().prec),
        "streams": (sys.stdin, sys.stdout, sys.stderr),
    }

def changed(before, now):
    return {name: (before[name], now[name]) for name in before if before[name] != now[name]}
"""


def run(code: str, *words: str) -> str:
    command = [sys.executable, "-c", STATE + code, *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=250, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def others() -> list[str]:
    """The modules that propsync imports; some of them change warnings filters, and propsync cannot help that."""
    code = "import_all(); print(*[name for name in sys.modules if not name.startswith('propsync')])"
    return [name for name in run(code).split() if name != "__main__"]


@pytest.mark.slow
def test_importing_the_library_changes_nothing(others: list[str]) -> None:
    code = """
import contextlib
untouched = state()
for name in sys.argv[1:]:
    with contextlib.suppress(ImportError):
        importlib.import_module(name)
before, callbacks = state(), atexit._ncallbacks()
import_all()
assert "propsync.sweep.ladder" in sys.modules and "propsync.serving.service" in sys.modules
ours = changed(before, state()) | {name: was for name, was in changed(untouched, state()).items() if name != "warnings"}
print(ours, atexit._ncallbacks() - callbacks)
"""
    assert run(code, *others) == "{} 0\n"


@pytest.mark.release
def test_a_run_changes_nothing_while_it_is_at_work_and_afterwards(others: list[str], tmp_path: Path) -> None:
    code = """
import contextlib
for name in sys.argv[2:]:
    with contextlib.suppress(ImportError):
        importlib.import_module(name)
before, seen = state(), []
from propsync.runbooks import night
from propsync.settings import load_settings
from propsync_sandbox import Sandbox

def look(name, step):
    seen.append((name, changed(before, state())))
    step()

with Sandbox(scale=25) as sandbox:
    environ = {"PROPSYNC_HOME": sys.argv[1], "PROPSYNC_BASE_URL": sandbox.base_url, "PROPSYNC_TOKEN": sandbox.token}
    report = night(load_settings(environ=environ), call=look)
names = {name for name, _ in seen}
assert report.exit_code == 0 and {"assets", "publish"} <= names, (report, names)
print({name: found for name, found in seen if found}, changed(before, state()))
"""
    assert run(code, str(tmp_path / "home"), *others) == "{} {}\n"


FORBIDDEN_MODULES = {"gc", "atexit", "locale", "faulthandler"}
FORBIDDEN = {
    ("warnings",): {"simplefilter", "filterwarnings", "resetwarnings"},
    ("signal",): {"signal", "alarm", "setitimer", "set_wakeup_fd", "pthread_sigmask", "siginterrupt"},
    ("resource",): {"setrlimit"},
    ("logging",): {"basicConfig", "setLogRecordFactory", "setLoggerClass", "disable", "captureWarnings"},
    ("os",): {"_exit", "abort", "umask", "chdir", "putenv", "unsetenv", "nice", "setpriority", "register_at_fork"},
    ("sys",): {"setswitchinterval", "setrecursionlimit", "settrace", "setprofile"},
    ("socket",): {"setdefaulttimeout"},
    ("os", "environ"): {"update", "setdefault", "pop", "clear"},
}
ALLOWED = {("log.py", "logging.setLogRecordFactory")}  # `guard_records`, which only shells call: see below


def modules() -> Iterator[tuple[str, ast.Module]]:
    for path in sorted(SOURCE.rglob("*.py")):
        name = path.relative_to(SOURCE).as_posix()
        if not name.startswith("cli/") and name not in PROGRAMS:
            yield name, ast.parse(path.read_text(encoding="utf-8"))


def dotted(node: ast.AST) -> tuple[str, ...]:
    if isinstance(node, ast.Attribute):
        return (*dotted(node.value), node.attr)
    return (node.id,) if isinstance(node, ast.Name) else ("",)


def imported(tree: ast.Module) -> dict[str, str]:
    """Names of other people's modules and of what comes from them, by the name that they have here."""
    found: dict[str, Any] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {(one.asname or one.name.partition(".")[0]): one.name for one in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {(one.asname or one.name): f"{node.module}.{one.name}" for one in node.names}
    return {name: source for name, source in found.items() if not source.startswith("propsync")}


def offences(tree: ast.Module) -> Iterator[str]:
    others = imported(tree)
    for source in others.values():
        module, _, name = source.rpartition(".")
        if {source, module} & FORBIDDEN_MODULES or name in FORBIDDEN.get((module,), ()):
            yield source
    for node in ast.walk(tree):
        if isinstance(node, ast.keyword) and node.arg == "preexec_fn":
            yield "preexec_fn"
        elif isinstance(node, ast.Call) and dotted(node.func) == ("logging", "getLogger") and not node.args:
            yield "logging.getLogger()"
        elif isinstance(node, ast.Attribute) and node.attr in FORBIDDEN.get(dotted(node.value), ()):
            yield ".".join(dotted(node))
        for target in targets(node):
            root = target.value if isinstance(target, ast.Subscript) else target
            if isinstance(target, ast.Attribute | ast.Subscript) and dotted(root)[0] in others:
                yield f"{'.'.join(dotted(root))} ="


def targets(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, ast.Assign | ast.Delete):
        return node.targets
    return [node.target] if isinstance(node, ast.AugAssign | ast.AnnAssign) else []


@pytest.mark.slow
def test_nothing_in_the_library_could_change_it() -> None:
    found = {(name, one) for name, tree in modules() for one in offences(tree)}
    assert found == ALLOWED


def test_only_shells_guard_the_log_of_their_process() -> None:
    calls = [name for name, tree in modules() for node in ast.walk(tree) if is_guarding(node)]
    assert calls == ["documents/cluster/dask.py"], "a Dask worker runs for propsync, and its own handlers write lines"


def is_guarding(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and dotted(node.func)[-1] == "guard_records"


PLANTED = [
    "import gc\ngc.freeze()",
    "from gc import freeze",
    "import os\nos._exit(1)",
    "from os import _exit",
    "import httpcore\nhttpcore.HTTP11Connection.READ_NUM_BYTES = 1",
    "from httpcore import HTTP11Connection as One\nOne.READ_NUM_BYTES += 1",
    "import subprocess\nsubprocess.run(['x'], preexec_fn=print)",
    "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)",
    "import os\nos.environ['X'] = ''",
    "import os\nos.environ.setdefault('X', '')",
    "import sys\nsys.excepthook = None",
    "import logging\nlogging.getLogger().setLevel(10)",
    "import warnings\nwarnings.simplefilter('ignore')",
    "import sys\ndel sys.modules['x']",
]


@pytest.mark.parametrize("code", PLANTED)
def test_what_would_change_it_is_found(code: str) -> None:
    assert list(offences(ast.parse(code)))


def test_the_programs_of_their_own_do_nothing_where_they_are_imported() -> None:
    for name in PROGRAMS:
        last = ast.parse((SOURCE / name).read_text(encoding="utf-8")).body[-1]
        assert isinstance(last, ast.If), name
        assert ast.unparse(last.test) == "__name__ == '__main__'"
