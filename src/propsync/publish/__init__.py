"""The published files: the warehouse file, Parquet, and the note of them."""

from propsync.publish.publisher import WAREHOUSE, Publisher

__all__ = ["WAREHOUSE", "Publisher"]
