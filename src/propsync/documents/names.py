"""Ids as names of folders that any computer takes: opaque ids may hold anything."""

from __future__ import annotations

import hashlib
import re

_PLAIN = re.compile(r"[A-Za-z0-9_-]")
_RESERVED = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?", re.IGNORECASE)
_LONGEST = 100  # characters: Windows takes 260 of a whole path


def folder_name(identifier: str) -> str:
    """An id with every character but A-Z a-z 0-9 . _ - as `=` and the two hex digits of each of its UTF-8 bytes.

    So are a dot at either end and the first letter of names that Windows keeps to itself. `%` is of no use: programs
    that read bags disagree on what it means in a manifest. A very long one is cut, and ends with a hash of all of it.
    """
    ends = (0, len(identifier) - 1)
    kept = "".join(
        one if _PLAIN.fullmatch(one) or (one == "." and place not in ends) else _escaped(one)
        for place, one in enumerate(identifier)
    )
    if _RESERVED.fullmatch(kept):
        kept = _escaped(kept[0]) + kept[1:]
    if len(kept) <= _LONGEST:
        return kept
    return f"{kept[: _LONGEST // 2]}=={hashlib.sha256(identifier.encode('utf-8', 'surrogatepass')).hexdigest()[:32]}"


def _escaped(character: str) -> str:
    return "".join(f"={byte:02X}" for byte in character.encode("utf-8", "surrogatepass"))


class FolderNames:
    """Gives each id a name of its own, also where the file system takes `a` and `A` for the same."""

    def __init__(self, *taken: str) -> None:
        """`taken` are names that no id gets."""
        self._given: dict[str, str] = {}
        self._folded = {name.casefold() for name in taken}

    def of(self, identifier: str) -> str:
        """The id's name, the same whenever it is asked for."""
        if identifier not in self._given:
            self._given[identifier] = self._free(folder_name(identifier))
        return self._given[identifier]

    def _free(self, name: str) -> str:
        number, wanted = 1, name
        while wanted.casefold() in self._folded:
            number += 1
            wanted = f"{name}=={number}"
        self._folded.add(wanted.casefold())
        return wanted
