"""Bytes of a page → records: the cutter, and the canonical form that a version is compared by."""

from propsync.records.canonical import HASH_VERSION, CanonicalForm, canonical_hash
from propsync.records.cutter import (
    Cutter,
    Page,
    Path,
    PayloadUnreadable,
    bytes_hash,
    count_of,
    first_text,
    follow,
    is_nothing,
    text_of,
)
from propsync.records.days import calendar_day
from propsync.records.decoding import decode, decoder, encode
from propsync.records.depth import DEEPEST, TEXT, decode_shallow, is_too_deep, shallow
from propsync.records.errors_in_place import has_error, is_error
from propsync.records.keys import key_of, record_id
from propsync.records.reading import SUSPECT, in_copy, readable
from propsync.records.repeats import without_repeats
from propsync.records.shears import Shears
from propsync.records.surrogates import mended

__all__ = [
    "DEEPEST",
    "HASH_VERSION",
    "SUSPECT",
    "TEXT",
    "CanonicalForm",
    "Cutter",
    "Page",
    "Path",
    "PayloadUnreadable",
    "Shears",
    "bytes_hash",
    "calendar_day",
    "canonical_hash",
    "count_of",
    "decode",
    "decode_shallow",
    "decoder",
    "encode",
    "first_text",
    "follow",
    "has_error",
    "in_copy",
    "is_error",
    "is_nothing",
    "is_too_deep",
    "key_of",
    "mended",
    "readable",
    "record_id",
    "shallow",
    "text_of",
    "without_repeats",
]
