"""In a network namespace with loopback alone: a metadata address that counts who asks, and commands beside it.

`python metadata.py COMMAND…` runs the command and exits as it did. The last line of its output is a JSON list of the
requests to 169.254.169.254. It needs a namespace of its own (`unshare --net`), in which it may set up loopback.
"""

from __future__ import annotations

import fcntl
import json
import socket
import struct
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

ADDRESS = "169.254.169.254"
_SET_ADDRESS, _SET_MASK, _SET_FLAGS, _UP = 0x8916, 0x891C, 0x8914, 0x41  # of linux/sockios.h and net/if.h
asked: list[str] = []


def raise_loopback() -> None:
    """Brings lo up, with the metadata address on it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        fcntl.ioctl(one, _SET_FLAGS, struct.pack("16sh14x", b"lo", _UP))
        for request, address in ((_SET_ADDRESS, ADDRESS), (_SET_MASK, "255.255.255.255")):
            told = struct.pack("HH4s8x", socket.AF_INET, 0, socket.inet_aton(address))
            fcntl.ioctl(one, request, struct.pack("16s16s", b"lo:1", told))


class Metadata(BaseHTTPRequestHandler):
    def _answer(self) -> None:
        asked.append(f"{self.command} {self.path}")
        self.send_error(404)

    do_GET = do_PUT = _answer  # noqa: N815 - http.server's names

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing: `asked` has it."""


if __name__ == "__main__":
    raise_loopback()
    server = ThreadingHTTPServer((ADDRESS, 80), Metadata)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    code = subprocess.run(sys.argv[1:], check=False).returncode
    print("\n" + json.dumps(asked))
    sys.exit(code)
