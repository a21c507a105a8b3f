"""Merges a snapshot into history, compares histories, and hashes their versions again."""
