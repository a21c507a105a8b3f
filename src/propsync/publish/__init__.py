"""The published files: the warehouse file, Parquet, and the note of them."""

from propsync.publish.note import published_through, read_note
from propsync.publish.publisher import WAREHOUSE, DeltaOptions, Publisher

__all__ = ["WAREHOUSE", "DeltaOptions", "Publisher", "published_through", "read_note"]
