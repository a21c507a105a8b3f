"""A home that follows a world."""

from __future__ import annotations

from pathlib import Path

from kit.home import Home
from kit.world_server import WorldServer


class WorldHome(Home):
    """A home and the server that shows it a world; pages have 50 records where `usual` says nothing else."""

    def __init__(self, path: Path, server: WorldServer, **usual: object) -> None:
        super().__init__(path, server.url)
        self.usual |= {"page_limit": 50} | usual
        self.server = server
