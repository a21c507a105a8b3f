"""The published files: the warehouse file, Parquet, and the note of them."""

from propsync.publish.note import read_note
from propsync.publish.publisher import WAREHOUSE, DeltaOptions, Publisher

__all__ = ["WAREHOUSE", "DeltaOptions", "Publisher", "read_note"]
