"""Becomes a program that ends when its starter dies, even by kill -9.

`programs` starts it as `python -I -S launcher.py PID PROGRAM WORD…`, with the starter's PID. It calls the kernel from
inside the new process: code between fork and exec, as with `preexec_fn`, can hang a process that has threads.
"""

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1


def main(starter: int, words: list[str]) -> None:
    """Replaces this process by the program; ends it if the starter has died already."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() == starter:
        os.execv(words[0], words)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
