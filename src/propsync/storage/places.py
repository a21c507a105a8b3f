"""The folders of documents in a home, which the archive, a bucket and an erasure all know."""

DOCUMENTS = "archive/blobs"
ROTTEN = "archive/rotten"
"""Damaged documents that nothing has replaced yet: a part of them may be all that is left."""
