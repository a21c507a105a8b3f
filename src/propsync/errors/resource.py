"""Errors of one resource or document: the others continue, the exit code is 3."""

from __future__ import annotations

from propsync.errors.base import PropsyncError


class ResourceFailed(PropsyncError):
    """One resource failed and keeps its rows; the other resources continue.

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
    """400, 416 or 422: the API refuses the request itself. `code` is API §7's `code`, None if there was none.

    `said` are the words of the answer, which may repeat values: for the screen of the person who sent them alone.
    """

    advice = "Run `propsync doctor`, and report this line if the error persists"

    def __init__(
        self,
        where: str,
        what: str,
        next_step: str | None = None,
        *,
        status: int | None = None,
        code: str | None = None,
        said: str | None = None,
    ) -> None:
        super().__init__(where, what, next_step, status=status)
        self.code = code
        self.said = said

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
    the time between them in seconds, and `asked_to_wait` the server's Retry-After, if it is longer than the time left.
    """

    advice = "Run the same command again later"

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

    @property
    def is_quota_spent(self) -> bool:
        """Whether the API accepts no further request for longer than propsync waits in all."""
        return self.status == 429 and self.asked_to_wait is not None and not self.waited


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

    advice = "Restore the file from a backup: without it, a rebuild loses what the run read"


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
