"""Puts the API's token, read from standard input, into Prefect's Secret block that the flows look for.

PREFECT_API_URL=http://127.0.0.1:4200/api python deploy/scripts/keep_token.py < propsync.token

With the word `push` it is the token for writes alone.
"""

from __future__ import annotations

import sys

import httpx
from prefect.blocks.system import Secret
from prefect.settings import get_current_settings
from pydantic import SecretStr

from propsync.settings import legal_token

NO_SERVER = "no Prefect server is known: set PREFECT_API_URL, or read the client.env of `propsync serve`"
BLOCKS = {(): "propsync-token", ("push",): "propsync-push-token"}  # the names that flows/shell.py looks for


def main() -> str:
    """Stores the token, which Prefect encrypts; prints only the block's name."""
    block = BLOCKS.get(tuple(sys.argv[1:]))
    if block is None:
        sys.exit("give no word, or the word push for the token for writes")
    if get_current_settings().api.url is None:  # Prefect would start a server for this moment, and lose the block
        sys.exit(NO_SERVER)
    try:
        token = legal_token(sys.stdin.read())
    except ValueError as error:
        sys.exit(f"that is no token: {error}. Put it alone on standard input")
    Secret(value=SecretStr(token)).save(block, overwrite=True)
    return f"made the Secret block {block}"


if __name__ == "__main__":
    try:
        sys.stdout.write(main() + "\n")
    except httpx.HTTPError as error:
        sys.exit(f"Prefect's server did not take it: {error}. Check PREFECT_API_URL and PREFECT_API_AUTH_STRING")
