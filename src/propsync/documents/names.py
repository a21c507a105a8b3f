"""Ids as names of folders that any computer accepts: opaque ids may hold anything."""

from __future__ import annotations

import hashlib
import re

_PLAIN = re.compile(r"[A-Za-z0-9_-]")
_RESERVED = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?", re.IGNORECASE)
_LONGEST = 100  # characters: Windows accepts 260 for a whole path


def folder_name(identifier: str) -> str:
    """An id with every character but A-Z a-z 0-9 . _ - as `=` and the two hex digits of each of its UTF-8 bytes.

    A dot at either end gets the same escape, and so does the first letter of a name that Windows reserves. `%` is of no
    use: programs that read bags disagree on its meaning. A very long name is cut, and ends with a hash of the whole id.
    """
    ends = (0, len(identifier) - 1)
    name = "".join(
        one if _PLAIN.fullmatch(one) or (one == "." and place not in ends) else _escaped(one)
        for place, one in enumerate(identifier)
    )
    if _RESERVED.fullmatch(name):
        name = _escaped(name[0]) + name[1:]
    if len(name) <= _LONGEST:
        return name
    return f"{name[: _LONGEST // 2]}=={hashlib.sha256(identifier.encode('utf-8', 'surrogatepass')).hexdigest()[:32]}"


def _escaped(character: str) -> str:
    return "".join(f"={byte:02X}" for byte in character.encode("utf-8", "surrogatepass"))


class FolderNames:
    """Gives each id a name of its own, even on a file system that does not distinguish `a` from `A`."""

    def __init__(self, *taken: str) -> None:
        """`taken` are names that no id gets."""
        self._given: dict[str, str] = {}
        self._folded = {name.casefold() for name in taken}

    def of(self, identifier: str) -> str:
        """The id's name, the same at each call."""
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
