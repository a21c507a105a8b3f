"""Keeps erased things from coming back: propsync knows them by keyed hashes, and cuts them before it keeps anything."""

from propsync.suppression.erasures import (
    BEGUN,
    DONE,
    FORGOTTEN,
    ErasedVersion,
    Erasure,
    Erasures,
    SameVersion,
    new_id,
)
from propsync.suppression.marks import ID, REPLACEMENT, TEXT, Mark, Marker, is_pseudonym, plain_text
from propsync.suppression.shears import Suppression

__all__ = [
    "BEGUN",
    "DONE",
    "FORGOTTEN",
    "ID",
    "REPLACEMENT",
    "TEXT",
    "ErasedVersion",
    "Erasure",
    "Erasures",
    "Mark",
    "Marker",
    "SameVersion",
    "Suppression",
    "is_pseudonym",
    "new_id",
    "plain_text",
]
