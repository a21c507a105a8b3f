"""Every error of propsync, named by what can be done about it.

    PropsyncError
    ├── UsageError                  exit 2  change the request, then run again
    │   ├── SettingsError                   a setting is missing or cannot be used: set it
    │   ├── QueryWrong                      SQL that cannot be run, or may not be: correct it
    │   └── InvalidValue                    a value to be written fails the API's rules: correct it
    ├── StopRun                     exit 1  nothing is published; correct it, then run again
    │   ├── TokenRefused                    401, also after the token file was read again: new token
    │   ├── WriteForbidden                  403 to a write, or to the look before it: ask for the right, apply again
    │   ├── CertificateRefused              the server's TLS certificate is not trusted: trust it, or stay away
    │   ├── DiskFull                        free some space
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
    │   ├── BaseLost                        a file that history needs is damaged: restore it from a backup
    │   └── CheckFailed                     a rule that the tables must keep is broken: report it
    ├── ResourceFailed              exit 3  that resource keeps yesterday's rows, the others continue
    │   ├── AccessForbidden                 403: ask for the right, which is per endpoint
    │   ├── NotFound                        404, 410: skip it, or conclude that it was deleted
    │   ├── RequestRefused                  400, 422: the request is wrong, sending it again is no use
    │   ├── UnexpectedAnswer                an answer the API's document does not know: look at the address
    │   │   └── MalformedBody               a body of the wrong form: retried while tries are left
    │   ├── TransientApiError               gave up after the retry budget: run again later
    │   │   ├── ApiUnreachable              no connection at all: network, proxy, address
    │   │   └── AnswerLost                  a POST may or may not have been done: look before repeating it
    │   ├── PageLost                        a landed page is missing or damaged: the next run reads the resource again
    │   ├── ManifestUnreadable              a landed manifest is damaged: the next run reads the resource again
    │   ├── MergeFailed                     a record could not be made into rows: report it
    │   ├── ShapeUnknown                    a shape could not be found: name it under [shapes]
    │   ├── PageTooLarge                    a body exceeds its bound: ask for fewer records a page
    │   └── DocumentDamaged                 a document is not whole: propsync discards and retries it later
    └── Busy                        exit 4  another run holds the lock: wait

No error may hold a token: code that quotes a server's words redacts them first (`log.redact`).
"""

from __future__ import annotations

from typing import ClassVar


class PropsyncError(Exception):
    """Where it happened, what happened, and what to do next; `str()` is one line of the three.

    If `next_step` is missing, the class's own advice takes its place.
    """

    exit_code: ClassVar[int] = 1
    advice: ClassVar[str] = "Run `propsync doctor`"
    says_not_found: bool = False

    def __init__(self, where: str, what: str, next_step: str | None = None) -> None:
        self.where = _one_line(where)
        self.what = _one_line(what)
        self.next_step = _one_line(next_step or self.advice)
        super().__init__(self.where, self.what, self.next_step)

    def __str__(self) -> str:
        stop = "" if self.what.endswith(("?", "!")) else "."
        return f"{self.where}: {self.what}{stop} {self.next_step}"


def _one_line(text: str) -> str:
    return " ".join(text.split()).rstrip(".")


class UsageError(PropsyncError):
    """The command or its settings are wrong; propsync did nothing."""

    exit_code = 2
    advice = "Run `propsync --help`"


class SettingsError(UsageError):
    """A setting is missing or unusable; `where` names it and its source."""

    advice = "Correct the setting, then run `propsync doctor`"


class QueryWrong(UsageError):
    """SQL that DuckDB cannot run, or that propsync refuses. `excerpt` is its line with a caret below; "" if DuckDB
    gives none.
    """

    advice = "Correct the SQL, then run it again"

    def __init__(self, where: str, what: str, next_step: str | None = None, *, excerpt: str = "") -> None:
        super().__init__(where, what, next_step)
        self.excerpt = excerpt

    def __str__(self) -> str:
        return f"{super().__str__()}\n{self.excerpt}" if self.excerpt else super().__str__()


class InvalidValue(UsageError):
    """A value to write breaks the rules of API §2.3 or 4.11; propsync sent nothing."""

    advice = "Correct the value, then try again"


class StopRun(PropsyncError):
    """Ends the run; nothing is published."""

    exit_code = 1


class TokenRefused(StopRun):
    """The API answered 401, even after propsync read the token file again."""

    advice = "Put a valid token in PROPSYNC_TOKEN or PROPSYNC_TOKEN_FILE, then run `propsync doctor`"


class WriteForbidden(StopRun):
    """403: the token may not write, or not read what it would write; the rest of the plan would meet the same."""

    advice = "Ask for access to this endpoint, then run the same command again"


class CertificateRefused(StopRun):
    """The system's trust store does not accept the server's TLS certificate."""

    advice = "Add the certificate authority to the system's trust store (or SSL_CERT_FILE), then run `propsync doctor`"


class LibraryUnfit(StopRun):
    """An installed library lacks a member that propsync needs; importing propsync raises this."""

    advice = "Install the versions that propsync requires"


class DiskFull(StopRun):
    """The disk that holds propsync's files is full."""

    advice = "Free some space under PROPSYNC_HOME, then run `propsync sync`"


class HomeUnusable(StopRun):
    """propsync cannot create, write or trust the home folder (rights, network file system)."""

    advice = "Run `propsync doctor`"


class StorageRefused(StopRun):
    """The object store refuses the credentials, or has no such bucket."""

    advice = "Correct PROPSYNC_STORAGE_URL or the credentials, then run `propsync doctor`"


class StorageUnfit(StopRun):
    """The object store ignores conditions of requests, so nothing would keep two machines apart."""

    advice = "Use a store that honours If-None-Match and If-Match: S3, MinIO, Azure"


class StorageAway(StopRun):
    """The object store did not answer within the patience of retries; files on the disk stay for the next run."""

    advice = "Run the same command again later: propsync then puts into the bucket what it lacks"


class ClusterUnfit(StopRun):
    """A Dask scheduler cannot be reached, or its workers cannot fetch documents."""

    advice = "Correct the scheduler or its workers (docs/dask.md), then run the same command again"


class LeaseLost(StopRun):
    """Another machine holds the lease on the bucket now; propsync publishes nothing."""

    advice = "Leave the work to the other machine, or stop it and run `propsync sync`"


class HomeBehind(StopRun):
    """Another machine has worked with the bucket since, or this home is new."""

    advice = "Run `propsync rebuild`"


class StateUnusable(StopRun):
    """The state database is damaged or of another schema version."""

    advice = "Run `propsync rebuild`"


class ErasureUnfinished(StopRun):
    """A killed `propsync erase` has erased a part; nothing else may write before it is complete."""

    advice = "Run the same `propsync erase` command again, or `propsync erase --resume`"


class HidingOutgrown(StopRun):
    """A field that the tables show is hidden from now on."""

    advice = "propsync begins again and cuts all of its history"


class BaseLost(StopRun):
    """A file that history needs is missing or damaged, and a rebuild would lose history; propsync changed nothing."""

    advice = (
        "Restore that file from a backup, then run the same command again. If the state database is sound, "
        "`propsync sync` writes the file again"
    )


class CheckFailed(StopRun):
    """A check of severity "fail" found rows; propsync leaves the published files as they were."""

    advice = "This is a fault in propsync: report it with the output of `propsync --log-level DEBUG sync`"


class ResourceFailed(PropsyncError):
    """One resource failed and keeps yesterday's rows; the other resources continue.

    `status` is the HTTP status of the failure, None if no answer came.
    """

    exit_code = 3

    def __init__(self, where: str, what: str, next_step: str | None = None, *, status: int | None = None) -> None:
        super().__init__(where, what, next_step)
        self.status = status


class AccessForbidden(ResourceFailed):
    """403: the token has no access to this endpoint (API §5: rights are not shown)."""

    advice = "Ask for access to this endpoint, or leave its resource out with `propsync sync --only`"


class NotFound(ResourceFailed):
    """404 or 410: the API does not have the thing requested."""

    advice = "Check the id, or run `propsync sync` to see whether it is gone"
    says_not_found = True


class RequestRefused(ResourceFailed):
    """400 or 422: the API refuses the request itself. `code` is API §7's `code`, None if there was none."""

    advice = "Run `propsync doctor`, and report this line if the error persists"

    def __init__(
        self,
        where: str,
        what: str,
        next_step: str | None = None,
        *,
        status: int | None = None,
        code: str | None = None,
    ) -> None:
        super().__init__(where, what, next_step, status=status)
        self.code = code

    @property
    def says_not_found(self) -> bool:  # type: ignore[override]
        """Whether the code says that something named in the request does not exist (API §7)."""
        return self.code is not None and self.code.endswith("NotFound")


class UnexpectedAnswer(ResourceFailed):
    """A redirect, an undocumented status, or a body that stayed wrong on each retry."""

    advice = "Check PROPSYNC_BASE_URL (a login page or proxy may be answering), then run `propsync doctor`"


class MalformedBody(UnexpectedAnswer):
    """A body that ends early or has the wrong form; api/ retries the request."""


class TransientApiError(ResourceFailed):
    """propsync gave up: the retry budget is spent.

    `status` is the last HTTP status (None for a connection error) and `attempts` the number of requests. `waited` is
    the time between them in seconds, and `asked_to_wait` the server's last Retry-After.
    """

    advice = "Run the same command again later; the published tables stay as they were"

    def __init__(
        self,
        where: str,
        what: str,
        next_step: str | None = None,
        *,
        status: int | None = None,
        attempts: int = 0,
        waited: float = 0.0,
        asked_to_wait: float | None = None,
    ) -> None:
        super().__init__(where, what, next_step, status=status)
        self.attempts = attempts
        self.waited = waited
        self.asked_to_wait = asked_to_wait


class ApiUnreachable(TransientApiError):
    """propsync could not connect at all."""

    advice = "Check PROPSYNC_BASE_URL, the network and the proxy variables, then run `propsync doctor`"


class AnswerLost(TransientApiError):
    """propsync sent a POST and got no answer: the API may or may not have done it."""

    advice = "Check whether the asset now exists before you create it again"


class PageLost(ResourceFailed):
    """A page of a landed snapshot is missing or damaged; propsync passes the snapshot over."""

    advice = "Run `propsync sync`, which reads the resource again"


class ManifestUnreadable(ResourceFailed):
    """The manifest of a landed snapshot is damaged; propsync passes the snapshot over."""

    advice = "Run `propsync sync`, which reads the resource again"


class MergeFailed(ResourceFailed):
    """propsync could not make rows of the records that it read."""

    advice = "This is a fault in propsync: report it with the output of `propsync --log-level DEBUG sync`"


class ShapeUnknown(ResourceFailed):
    """propsync could not find an undocumented shape, or no record has a documented key."""

    advice = "Run `propsync doctor`, then name the member under [shapes] in propsync.toml"


class PageTooLarge(ResourceFailed):
    """A body exceeds its bound, compressed or not."""

    advice = "Lower PROPSYNC_PAGE_LIMIT, then run again"


class DocumentDamaged(ResourceFailed):
    """A document came damaged or in the wrong form: propsync does not keep it."""

    advice = "A later `propsync archive` asks for it again"


class Busy(PropsyncError):
    """Another run holds the lock; propsync did nothing."""

    exit_code = 4
    advice = "Wait for the other run to end (`propsync status` names it), then run again"
