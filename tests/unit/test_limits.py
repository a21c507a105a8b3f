"""A process that gets no more memory or threads says which limits to raise, and calls it no fault of propsync."""

from __future__ import annotations

import subprocess
import sys

import pytest

from propsync.cli import main


@pytest.mark.parametrize(
    "error",
    [
        MemoryError("Unable to allocate output buffer."),
        RuntimeError("can't start new thread"),
        ImportError("numpy: _multiarray_umath.so: failed to map segment from shared object"),
        OSError(12, "Cannot allocate memory"),
    ],
)
def test_too_little_memory_is_no_fault_in_propsync(
    error: Exception, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def ended(**_: object) -> None:
        raise error

    monkeypatch.setattr(main, "app", ended)
    with pytest.raises(SystemExit) as code:
        main.run()
    said = capsys.readouterr().err
    assert code.value.code == 1
    assert said.startswith("propsync: this process could get no more memory or threads. Raise its limits (`ulimit")


def test_python_still_says_it_in_these_words() -> None:
    script = (
        "import resource as r, threading\nr.setrlimit(r.RLIMIT_AS, (60_000_000,) * 2)\nthreading.stack_size(2**27)\n"
    )
    words = f"{script}threading.Thread(target=print).start()"
    done = subprocess.run([sys.executable, "-S", "-c", words], capture_output=True, text=True, check=False)
    assert done.stderr.splitlines()[-1] == "RuntimeError: can't start new thread"
