"""Reads one list in parts that each fit in one response (rung 2)."""
