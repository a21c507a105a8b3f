"""Every error of propsync, named by what can be done about it.

    PropsyncError
    ├── UsageError                  exit 2  change the request, then run again
    │   ├── SettingsError                   a setting is missing or cannot be used: set it
    │   ├── QueryWrong                      SQL that cannot be run, or may not be: correct it
    │   └── InvalidValue                    a value to be written fails the API's rules: correct it
    ├── StopRun                     exit 1  nothing is published; correct it, then run again
    │   ├── TokenRefused                    401, also after the token file was read again: new token
    │   ├── WriteForbidden                  403 to a write, or to the look before it: ask for the right, apply again
    │   ├── WriteUnsupported                the API knows no such write, or redirects it: correct the address
    │   ├── ApiFailing                      every write fails, after all its attempts: apply again later
    │   ├── NamesChanged                    a plan's names mean something else at the API: sync, plan again
    │   ├── OtherValuesLost                 a write removed values that it did not name: send no more
    │   ├── PlanUnfinished                  writes are sent, and no run can record them yet: apply again
    │   ├── CertificateRefused              the server's TLS certificate is not trusted: trust it, or stay away
    │   ├── DiskFull                        free some space
    │   │   └── FileLimited                 a limit on the size of files (ulimit -f): raise it
    │   ├── LibraryUnfit                    a library changed what propsync needs of it: install the version asked for
    │   ├── HomeUnusable                    the home folder cannot be used: rights, file system
    │   ├── StorageRefused                  the bucket refuses the credentials, or does not exist: correct them
    │   ├── StorageUnfit                    the bucket's server ignores conditions, so two machines could clash
    │   ├── StorageAway                     the bucket does not answer: run again later
    │   ├── ClusterUnfit                    a Dask scheduler or worker cannot do its part: correct it
    │   ├── LeaseLost                       another machine took the lease over: nothing of this run is published
    │   ├── HomeBehind                      another machine has run since: rebuild from the bucket
    │   ├── StateUnusable                   the state database cannot be used: rebuild
    │   ├── ErasureUnfinished               a killed erasure waits: finish it first
    │   ├── HidingOutgrown                  a field is hidden from now on: the same run begins again, its history cut
    │   ├── LandingForeign                  landing has snapshots of another service: move them out
    │   ├── BaseLost                        a file that history needs is damaged: restore it from a backup
    │   └── CheckFailed                     a rule that the tables must keep is broken: report it
    ├── ResourceFailed              exit 3  that resource keeps its rows, the others continue
    │   ├── AccessForbidden                 403: ask for the right, which is per endpoint
    │   ├── NotFound                        404, 410: skip it, or conclude that it was deleted
    │   ├── RequestRefused                  400, 416, 422: the request is wrong, sending it again is no use
    │   ├── UnexpectedAnswer                an answer the API's document does not know: look at the address
    │   │   └── MalformedBody               a body of the wrong form: retried while tries are left
    │   ├── TransientApiError               gave up after the retry budget: run again later
    │   │   ├── ApiUnreachable              no connection at all: network, proxy, address
    │   │   └── AnswerLost                  a POST may or may not have been done: look before repeating it
    │   ├── PageLost                        a landed page is missing or damaged: the next run reads the resource again
    │   ├── ManifestUnreadable              a landed manifest is damaged: restore it from a backup
    │   ├── MergeFailed                     a record could not be made into rows: report it
    │   ├── ShapeUnknown                    a shape could not be found: name it under [shapes]
    │   ├── PageTooLarge                    a body exceeds its bound: ask for fewer records a page
    │   └── DocumentDamaged                 a document is not whole: propsync discards and retries it later
    └── Busy                        exit 4  another run holds the lock: wait

No error may hold a token: code that quotes a server's words redacts them first (`log.redact`).
"""

from propsync.errors.base import (
    Busy,
    PropsyncError,
)
from propsync.errors.resource import (
    AccessForbidden,
    AnswerLost,
    ApiUnreachable,
    DocumentDamaged,
    MalformedBody,
    ManifestUnreadable,
    MergeFailed,
    NotFound,
    PageLost,
    PageTooLarge,
    RequestRefused,
    ResourceFailed,
    ShapeUnknown,
    TransientApiError,
    UnexpectedAnswer,
)
from propsync.errors.stopping import (
    GIVE_IT_BACK,
    LOOK_AT_DISK,
    ON_LOCAL_DISK,
    ApiFailing,
    BaseLost,
    CertificateRefused,
    CheckFailed,
    ClusterUnfit,
    DiskFull,
    ErasureUnfinished,
    FileLimited,
    HidingOutgrown,
    HomeBehind,
    HomeUnusable,
    LandingForeign,
    LeaseLost,
    LibraryUnfit,
    NamesChanged,
    OtherValuesLost,
    PlanUnfinished,
    StateUnusable,
    StopRun,
    StorageAway,
    StorageRefused,
    StorageUnfit,
    TokenRefused,
    WriteForbidden,
    WriteUnsupported,
)
from propsync.errors.usage import (
    InvalidValue,
    QueryWrong,
    SettingsError,
    UsageError,
)

__all__ = [
    "GIVE_IT_BACK",
    "LOOK_AT_DISK",
    "ON_LOCAL_DISK",
    "AccessForbidden",
    "AnswerLost",
    "ApiFailing",
    "ApiUnreachable",
    "BaseLost",
    "Busy",
    "CertificateRefused",
    "CheckFailed",
    "ClusterUnfit",
    "DiskFull",
    "DocumentDamaged",
    "ErasureUnfinished",
    "FileLimited",
    "HidingOutgrown",
    "HomeBehind",
    "HomeUnusable",
    "InvalidValue",
    "LandingForeign",
    "LeaseLost",
    "LibraryUnfit",
    "MalformedBody",
    "ManifestUnreadable",
    "MergeFailed",
    "NamesChanged",
    "NotFound",
    "OtherValuesLost",
    "PageLost",
    "PageTooLarge",
    "PlanUnfinished",
    "PropsyncError",
    "QueryWrong",
    "RequestRefused",
    "ResourceFailed",
    "SettingsError",
    "ShapeUnknown",
    "StateUnusable",
    "StopRun",
    "StorageAway",
    "StorageRefused",
    "StorageUnfit",
    "TokenRefused",
    "TransientApiError",
    "UnexpectedAnswer",
    "UsageError",
    "WriteForbidden",
    "WriteUnsupported",
]
