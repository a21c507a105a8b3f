"""Puts the API's token, read from standard input, into Prefect's Secret block that the flows look for.

PREFECT_API_URL=http://127.0.0.1:4200/api python flows/keep_token.py < propsync.token
"""

from __future__ import annotations

import sys

from prefect.blocks.system import Secret
from pydantic import SecretStr
from shell import TOKEN_BLOCK

from propsync.settings import legal_token


def main() -> None:
    """Prefect encrypts it; nothing is printed. Raises ValueError for what no header can carry."""
    Secret(value=SecretStr(legal_token(sys.stdin.read()))).save(TOKEN_BLOCK, overwrite=True)


if __name__ == "__main__":
    main()
