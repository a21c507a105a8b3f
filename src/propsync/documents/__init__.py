"""Reports and bundles: fetched, checked, kept by their content, and read (correctness.md §8)."""
