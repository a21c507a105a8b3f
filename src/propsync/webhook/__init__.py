"""Hints: posts of the service that name records, and the rows of `ops.hints` about them.

A hint says where to look. It is never a fact about a record. Only `server` needs uvicorn, the extra `webhook`.
"""
