"""Reads the records that hints name, by day and by night."""
