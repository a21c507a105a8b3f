"""Errors that end a run: nothing is published, the exit code is 1."""

from __future__ import annotations

from propsync.errors.base import PropsyncError

GIVE_IT_BACK = (
    "Give it to the user who runs propsync, on a disk that can be written. If another user ran propsync, give back all "
    "of PROPSYNC_HOME (`chown -R`). Then run the same command again"
)
LOOK_AT_DISK = (
    "The disk or its connection failed: look at the messages of the system (`dmesg`). Then run the same command again"
)
ON_LOCAL_DISK = "Set PROPSYNC_HOME to a folder on a local disk: locks and databases break on network file systems"


class StopRun(PropsyncError):
    """Ends the run; nothing is published."""

    exit_code = 1


class TokenRefused(StopRun):
    """The API answered 401, even after propsync read the token file again."""

    advice = "Put a valid token in PROPSYNC_TOKEN or PROPSYNC_TOKEN_FILE, then run `propsync doctor`"


class WriteForbidden(StopRun):
    """403: the token may not write, or not read what it would write; the rest of the plan would meet the same."""

    advice = "Ask for access to this endpoint, then run the same command again"


class WriteUnsupported(StopRun):
    """405, 501 or a redirect to a write: the API does not know the method, and the rest would meet the same."""

    advice = (
        "Check PROPSYNC_BASE_URL (https, no proxy or login page between), and ask the operator of the API whether it "
        "accepts writes. Then run the same command again"
    )


class ApiFailing(StopRun):
    """The API fails one record of a plan after the other, each after all its attempts."""

    advice = "Run the same command again later: it sends the rest"


class OtherValuesLost(StopRun):
    """A write of some values removed all others of the record, and the rest of the plan would do the same."""

    advice = (
        "Send no more plans, and end this one with --give-up. Report this line, and write the values back by hand: "
        "`history.assets` has them"
    )


class NamesChanged(StopRun):
    """The API has other names for what a plan writes than those by which a person has reviewed it."""

    advice = "Run `propsync sync`, then plan again"


class PlanUnfinished(StopRun):
    """A plan is sent, and another run or the disk keeps propsync from reading it back and recording it."""

    advice = "Run the same command again when that run has ended: it sends nothing twice"


class CertificateRefused(StopRun):
    """The system's trust store does not accept the server's TLS certificate."""

    advice = "Add the certificate authority to the system's trust store (or SSL_CERT_FILE), then run `propsync doctor`"


class LibraryUnfit(StopRun):
    """An installed library lacks a member that propsync needs; importing propsync raises this."""

    advice = "Install the versions that propsync requires"


class DiskFull(StopRun):
    """The disk that holds propsync's files is full."""

    advice = "Free some space under PROPSYNC_HOME, then run the same command again"


class FileLimited(DiskFull):
    """The system lets no file grow further, although the disk may have room; nothing is damaged."""

    advice = "Raise the limit (`ulimit -f`, or LimitFSIZE= of a service), then run the same command again"


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


class LandingForeign(StopRun):
    """Landing has snapshots of another service, such as those of another home; propsync changed nothing."""

    advice = (
        "Move the folders of the snapshots that are not of this home out of landing (`landing/RESOURCE/RUN`), then run "
        "the same command again"
    )


class BaseLost(StopRun):
    """A file that history needs is missing or damaged, and a rebuild would lose history; propsync changed nothing."""

    advice = (
        "Restore that file from a backup, then run the same command again. If the state database is sound, "
        "`propsync sync` writes the file again"
    )


class CheckFailed(StopRun):
    """A check of severity "fail" found rows; propsync leaves the published files as they were."""

    advice = "This is a fault in propsync: report it with the output of `propsync --log-level DEBUG sync`"
