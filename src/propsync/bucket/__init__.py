"""The bucket: an object store that holds a home, so that the machine is disposable (docs/decisions/0043).

A lease keeps machines apart. Files of home go there in packs, a commit makes them exist, a restore brings them home.
"""

from propsync.bucket.commits import CommitLog, Contents, Place
from propsync.bucket.documents import fetch_documents, put_documents
from propsync.bucket.home import BucketHome, refuse_other_programs
from propsync.bucket.known import bucket_of, forget_bucket, left_places, note_left
from propsync.bucket.lease import Lease, holder_of, refuse_unfit
from propsync.bucket.published import published_note, put_published
from propsync.bucket.restore import restore, settle_restored
from propsync.bucket.sending import (
    begin_sending,
    end_sending,
    journal_copies,
    lost_journal,
    put_journal,
    senders,
)
from propsync.bucket.verify import damaged_documents, damaged_files

__all__ = [
    "BucketHome",
    "CommitLog",
    "Contents",
    "Lease",
    "Place",
    "begin_sending",
    "bucket_of",
    "damaged_documents",
    "damaged_files",
    "end_sending",
    "fetch_documents",
    "forget_bucket",
    "holder_of",
    "journal_copies",
    "left_places",
    "lost_journal",
    "note_left",
    "published_note",
    "put_documents",
    "put_journal",
    "put_published",
    "refuse_other_programs",
    "refuse_unfit",
    "restore",
    "senders",
    "settle_restored",
]
