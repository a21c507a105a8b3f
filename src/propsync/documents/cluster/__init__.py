"""Documents by many machines: batches for the workers of a Dask scheduler (docs/decisions/0045)."""
