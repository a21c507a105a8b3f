"""Landed bodies that rot between runs. The simulation keeps the good bodies aside, as a backup would."""

from __future__ import annotations

import re
from collections.abc import Set
from pathlib import Path
from random import Random

from .oracle.files import is_sound

_CHANCE = 0.35
_SHA256 = re.compile(rb"[0-9a-f]{64}")


class Rot:
    """Alters, cuts or removes bodies in one home."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._kept: dict[str, bytes] = {}
        self.struck = 0

    def strike(self, dice: Random) -> None:
        """Damages a few bodies, or none."""
        bodies = sorted(path for path in (self._home / "landing" / "pages").rglob("*") if path.is_file())
        if not bodies or dice.random() > _CHANCE:
            return
        for path in dice.sample(bodies, min(len(bodies), dice.randint(1, 4))):
            if path.name not in self.damaged():
                self._kept[path.name] = path.read_bytes()
                _damage(path, dice)
                self.struck += 1

    def damaged(self) -> Set[str]:
        """The hashes of bodies that are still not what they were."""
        return {name for name in self._kept if not self._path(name).exists() or not is_sound(self._path(name))}

    def ever_damaged(self) -> Set[str]:
        """The hashes of bodies that were damaged once; propsync may have put them again in another form."""
        return self._kept.keys()

    def restore(self) -> None:
        """Puts back what manifests still name."""
        manifests = (self._home / "landing").glob("*/*/manifest.json")
        named = {name.decode() for path in manifests for name in _SHA256.findall(path.read_bytes())}
        for name in self.damaged() & named:
            self._path(name).parent.mkdir(parents=True, exist_ok=True)
            self._path(name).write_bytes(self._kept[name])

    def _path(self, name: str) -> Path:
        return self._home / "landing" / "pages" / name[:2] / name


def _damage(path: Path, dice: Random) -> None:
    body = bytearray(path.read_bytes())
    how = dice.choice(("altered", "altered", "cut", "removed"))
    if how == "removed":
        path.unlink()
        return
    if how == "altered" and body:
        body[dice.randrange(len(body))] ^= 1 << dice.randrange(8)
    path.write_bytes(body if how == "altered" else body[: dice.randrange(len(body) + 1)])
