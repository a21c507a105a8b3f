"""BagIt bags (RFC 8493): a folder, its checksums, and words about it. The only importer of bagit."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from pathlib import Path

from propsync import __version__


def make_bag(folder: Path, told: Mapping[str, str]) -> None:
    """Makes a bag of a folder in its place, with `told` in its bag-info.txt, and validates it by reading it anew.

    bagit adds Payload-Oxum, and Bagging-Date where it is not told. Raises OSError, and ValueError for a bag that did
    not validate: what was written is not what is on the disk.
    """
    import bagit  # takes as long to import as many a command runs

    logging.getLogger("bagit").setLevel(logging.CRITICAL)  # it tells of every file, and of errors that it raises anyway
    lines = {name: " ".join(text.split()) for name, text in told.items()}
    lines["Bag-Software-Agent"] = f"propsync {__version__}"
    try:
        bagit.make_bag(str(folder), lines, checksums=["sha256"]).validate()
    except bagit.BagError as error:
        raise ValueError(str(error)) from error
