"""The one place that stores files for good: whole or not at all, and there for good when the call returns.

Two implementations keep one protocol: a folder on a local disk, and an object store (`objects`). Nothing else renames,
removes or fsyncs.
"""

from propsync.storage.digests import sha256_of_blocks, sha256_of_file, write_blocks
from propsync.storage.disk import (
    PARTIAL,
    copy,
    disk_use,
    files_below,
    files_named,
    may_list,
    mode_of,
    open_file,
    partial_file,
    refuse_unreadable,
    remove,
    remove_folder,
    remove_partials,
    replace,
    sync_file,
    sync_open,
    write_all,
)
from propsync.storage.elsewhere import or_elsewhere
from propsync.storage.local import LineFile, LocalStorage
from propsync.storage.protocol import Storage
from propsync.storage.room import files_left
from propsync.storage.system_errors import (
    MORE_FILES,
    NO_MATTER_WHERE,
    disk_errors,
    in_the_way,
    step_against,
    why_unread,
)

__all__ = [
    "MORE_FILES",
    "NO_MATTER_WHERE",
    "PARTIAL",
    "LineFile",
    "LocalStorage",
    "Storage",
    "copy",
    "disk_errors",
    "disk_use",
    "files_below",
    "files_left",
    "files_named",
    "in_the_way",
    "may_list",
    "mode_of",
    "open_file",
    "or_elsewhere",
    "partial_file",
    "refuse_unreadable",
    "remove",
    "remove_folder",
    "remove_partials",
    "replace",
    "sha256_of_blocks",
    "sha256_of_file",
    "step_against",
    "sync_file",
    "sync_open",
    "why_unread",
    "write_all",
    "write_blocks",
]
