"""How `documents.last_error` says that propsync lost a stored file."""

LOST = "its file was lost: "
"""Its first words for a stored version whose file no longer exists; the state stays `stored`."""
