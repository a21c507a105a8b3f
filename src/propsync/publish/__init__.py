"""What people get: the warehouse file, Parquet, and the note of what was published (correctness.md §6)."""

from propsync.publish.publisher import WAREHOUSE, Publisher

__all__ = ["WAREHOUSE", "Publisher"]
