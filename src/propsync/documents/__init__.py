"""Reports and bundles: fetched, checked, kept by their content, and read (docs/documents.md)."""
