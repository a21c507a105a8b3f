"""How `documents.last_error` tells what became of a stored file."""

LOST = "its file was lost: "
"""How it begins for a version that was stored and whose file is not there any more; its state stays stored."""
