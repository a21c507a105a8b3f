"""Becomes a program that ends when whoever started it dies, even by kill -9.

Started by `programs` as `python -I -S launcher.py PID PROGRAM WORD…`, PID being the starter's. The kernel is asked from
inside the new process: to run code between fork and exec, as `preexec_fn` does, can hang a process that has threads.
"""

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1


def main(starter: int, words: list[str]) -> None:
    """Replaces this process by the program; ends it where the starter is dead already."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() == starter:
        os.execv(words[0], words)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
