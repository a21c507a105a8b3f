"""How `documents.last_error` says that propsync lost a stored file."""

LOST = "its file was lost: "
"""Its first words for a stored version whose file no longer exists; the state stays `stored`."""

MOUNT_OR_VERIFY = "If a disk of its own belongs there, mount it. Then run `propsync archive verify`"
"""The step if many stored files are gone at once; a restored backup may have fewer of them than the tables know."""
