"""BagIt bags (RFC 8493): a folder, its checksums, and words about it. The only importer of bagit."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from pathlib import Path

from propsync import __version__
from propsync.errors import StopRun


def make_bag(folder: Path, told: Mapping[str, str]) -> None:
    """Makes a bag of a folder in its place, with `told` in its bag-info.txt, and validates it by reading it anew.

    bagit adds Payload-Oxum, and Bagging-Date where it is not told. Raises OSError, and StopRun for a bag that does
    not validate: what is on the disk is not what was written.
    """
    import bagit  # takes as long to import as many a command runs

    logging.getLogger("bagit").setLevel(logging.CRITICAL)  # it tells of every file, and of errors that it raises anyway
    lines = {name: " ".join(text.split()) for name, text in told.items()}
    lines["Bag-Software-Agent"] = f"propsync {__version__}"
    try:
        bagit.make_bag(str(folder), lines, checksums=["sha256"]).validate()
    except bagit.BagError as error:
        raise StopRun(
            str(folder), f"the bag does not validate: {error}", "Check that disk, then run it again"
        ) from error
