"""Tests hear of Ctrl-C, and so do the programs they start, also where a shell runs them all in the background."""

import signal

signal.signal(signal.SIGINT, signal.default_int_handler)
