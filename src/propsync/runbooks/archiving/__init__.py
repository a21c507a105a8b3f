"""Archives documents, verifies what is stored, and exports it."""
