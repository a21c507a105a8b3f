"""Erases records, fields and documents, and proves it."""
