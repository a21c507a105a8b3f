"""Finds what could stop a run before the night does."""
