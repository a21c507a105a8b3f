"""Answers of the processes that open documents, each to its own thread."""

import subprocess
import sys

# Here msgspec learns the types of the answer slowly, so that two threads would learn them at once.
TWO_AT_ONCE = """
import threading, time
from propsync.documents.zips import bundle
from propsync.documents.worker import process as pdf_process
def slow():
    time.sleep(0.2)
    return str
bundle.slow = slow
bundle.Member.__annotations__["name"] = "slow()"
line = b'{"bundle": {"members": [], "refused": null}}'
ask = lambda: pdf_process.decoded(line)
threads = [threading.Thread(target=ask) for _ in range(2)]
for thread in threads:
    thread.start()
    time.sleep(0.05)
for thread in threads:
    thread.join()
print("well")
"""


def test_two_first_answers_at_once_harm_nothing():
    done = subprocess.run([sys.executable, "-c", TWO_AT_ONCE], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, "well\n"), done.stderr
