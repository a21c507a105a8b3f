"""The published files: the warehouse file, Parquet, and the note of them (correctness.md §6)."""

from propsync.publish.publisher import WAREHOUSE, Publisher

__all__ = ["WAREHOUSE", "Publisher"]
