"""The settings themselves: names, meanings, defaults, and values derived from them."""

from __future__ import annotations

import errno
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from zoneinfo import ZoneInfo

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, SecretBytes, SecretStr
from pydantic.fields import FieldInfo

from propsync.errors import LOOK_AT_DISK, SettingsError
from propsync.settings import kinds
from propsync.settings.checks import (
    DOCUMENT_KINDS,
    check_scheduler,
    check_signing_key,
    check_webhook_secret,
    legal_token,
    signing_key,
)
from propsync.settings.secret_file import may_be_secret, read_secret
from propsync.settings.storage_access import StorageAccess, storage_access

PREFIX = "PROPSYNC_"
TABLES = ("reference", "resources", "shapes", "desk", "privacy")


@dataclass(frozen=True, slots=True)
class ApiAccess:
    """The settings for talking to the API; `token_file` is None if the token came from the variable itself.

    `variable` names the token in messages: PROPSYNC_TOKEN, or PROPSYNC_PUSH_TOKEN for writes, or another place that a
    token came from.
    """

    base_url: str
    token: SecretStr
    token_file: Path | None
    variable: str = "PROPSYNC_TOKEN"


@dataclass(frozen=True, slots=True)
class WebhookAccess:
    """Whom the receiver believes: the secret of its path, and the service's signing key if it signs."""

    secret: SecretStr
    signing_key: SecretBytes | None


class Settings(BaseModel):
    """Every setting, checked; made by `load_settings`. Lists are tuples, a GB is 10^9 bytes, paths are absolute."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True, validate_default=True)

    base_url: kinds.BaseUrl | None = Field(None, description="the API; https, or http on loopback only")
    token: kinds.Token | None = Field(None, description="bearer token; never in propsync.toml")
    token_file: kinds.TokenFile | None = Field(
        None, description="file that holds the bearer token, instead of the token"
    )
    home: kinds.Home = Field(Path("~/propsync"), description="where everything is kept")
    storage_url: kinds.Storage | None = Field(
        None, description="bucket that holds landing, documents and what is published; home is a cache of it then"
    )
    storage_identity: kinds.Identity | None = Field(
        None, description="instance: the machine's own role gives the credentials for the bucket"
    )
    time_zone: kinds.Zone = Field(
        "Europe/London", description='what "today" and the timetable mean; stored times are UTC'
    )
    page_limit: kinds.PageLimit = Field(1000, description="records per page, 1–1000")
    max_concurrency: kinds.Concurrency = Field(8, description="most requests at once")
    assessment_statuses: kinds.Statuses = Field(
        ("inprogress", "submitted", "approved"), description="assessment statuses to ask for"
    )
    schedule_statuses: kinds.Statuses = Field(("notstarted", "inprogress"), description="schedule statuses to ask for")
    delete_limit: kinds.Share = Field(0.02, description="share of a resource that one run may delete")
    lock_wait: kinds.Seconds = Field(900, description="seconds to wait for another run")
    memory_limit: kinds.Memory = Field("1GB", description="DuckDB's memory")
    threads: kinds.Concurrency = Field(
        1, description="DuckDB's threads; more may end a run sooner, and cost more processor time"
    )
    landing_keep_days: kinds.Days = Field(30, description="days that landing is kept for rebuild")
    archive_kinds: kinds.DocumentKinds = Field(
        DOCUMENT_KINDS, description="kinds of document to archive; none for none"
    )
    archive_statuses: kinds.Statuses = Field(("approved",), description="statuses whose documents are archived")
    archive_max_gb: kinds.Amount = Field(5, description="most gigabytes of documents a night")
    archive_max_minutes: kinds.Amount = Field(120, description="most minutes on documents a night")
    archive_recheck_days: kinds.Days = Field(90, description="days after which a document is asked for again")
    archive_text: kinds.Switch = Field(False, description="whether text is extracted from the PDFs")
    archive_max_members: kinds.Count = Field(50_000, description="most members that a ZIP may have to be read")
    archive_max_ratio: kinds.Amount = Field(100, description="most times that a member of a ZIP may grow when unpacked")
    archive_max_unpacked_gb: kinds.Amount = Field(20, description="most gigabytes that a ZIP may hold unpacked")
    archive_keep_years: kinds.Years | None = Field(
        None, description="years that documents of deleted assessments are kept; all are kept if it is not set"
    )
    backup_days: kinds.Days | None = Field(
        None, description="days after which your backups of home expire, for `propsync erase --verify`"
    )
    archive_dask: kinds.Scheduler | None = Field(
        None, description="Dask scheduler whose workers fetch documents into the bucket (docs/dask.md)"
    )
    push_token: kinds.Token | None = Field(
        None, description="bearer token for writes alone, if it differs; never in propsync.toml"
    )
    push_token_file: kinds.TokenFile | None = Field(
        None, description="file that holds the bearer token for writes, instead of that token"
    )
    webhook_secret: kinds.WebhookSecret | None = Field(
        None, description="last part of the path at which `propsync webhook` receives hints; never in propsync.toml"
    )
    webhook_secret_file: kinds.SecretFile | None = Field(
        None, description="file that holds that secret, instead of the secret"
    )
    webhook_signing_key: kinds.SigningKey | None = Field(
        None, description="key by which the service signs its posts (Standard Webhooks); never in propsync.toml"
    )
    webhook_signing_key_file: kinds.SecretFile | None = Field(
        None, description="file that holds the signing key, instead of the key"
    )
    webhook_address_header: kinds.HeaderName | None = Field(
        None, description="header in which your proxy gives the address of the sender, if it is to count"
    )
    webhook_wait: kinds.Seconds = Field(30, description="seconds for which hints collect before propsync reads")
    webhook_requests: kinds.Count = Field(5_000, description="most requests that hints may cost a day")
    delta: kinds.DeltaSchemas = Field((), description="schemas whose tables are written as Delta tables too")
    delta_keep_days: kinds.Days = Field(30, description="days that an older version of a Delta table can be read")
    notify_url: kinds.NotifyUrl | None = Field(None, description="receives one JSON POST per run (Teams, healthchecks)")
    reference: kinds.Reference = Field({}, description="people's own lists: a table and its CSV or .xlsx file each")
    resources: kinds.FurtherLists = Field({}, description="further lists of the same API: a table and its path each")
    shapes: kinds.Shapes = Field({}, description="what to believe instead of what was discovered")
    desk: kinds.Desk = Field({}, description="what the marts rest on: dates, words, roles of fields")  # type: ignore[assignment]
    privacy: kinds.Privacy = Field({}, description="what is left out of everything published (docs/privacy.md)")  # type: ignore[assignment]

    _folder: Path | None = PrivateAttr(default=None)
    _has_file: bool = PrivateAttr(default=True)
    _sources: Mapping[str, str] = PrivateAttr(default_factory=dict)
    _places: Mapping[str, str] = PrivateAttr(default_factory=dict)  # of tokens that no variable has
    _storage_environ: Mapping[str, str] = PrivateAttr(default_factory=dict)
    _unrecognised: tuple[str, ...] = PrivateAttr(default=())

    @classmethod
    def plain_fields(cls) -> dict[str, FieldInfo]:
        """The fields that a variable can set: all but the toml's tables."""
        return {name: field for name, field in cls.model_fields.items() if name not in TABLES}

    def statuses(self, setting: str) -> tuple[str, ...]:
        """The statuses that a setting names: a `resources.Resource.status_setting`, or `archive_statuses`."""
        return {
            "assessment_statuses": self.assessment_statuses,
            "schedule_statuses": self.schedule_statuses,
            "archive_statuses": self.archive_statuses,
        }[setting]

    @property
    def explicit(self) -> frozenset[str]:
        """The settings that somebody set, in lower case; the others have their defaults."""
        return frozenset(self.model_fields_set)

    @property
    def unrecognised(self) -> tuple[str, ...]:
        """PROPSYNC_ variables that name no setting (probably a typing error)."""
        return self._unrecognised

    @property
    def zone(self) -> ZoneInfo:
        """`time_zone` as tzinfo."""
        return ZoneInfo(self.time_zone)

    @property
    def published(self) -> Path:
        """The only folder that other people read."""
        return self.home / "published"

    @property
    def state(self) -> Path:
        """The service's own folder."""
        return self.home / "state"

    @property
    def landing(self) -> Path:
        """The folder of answers as received, also the service's own."""
        return self.home / "landing"

    @property
    def checks_folder(self) -> Path:
        """The folder of people's own checks, beside propsync.toml; it may be missing."""
        return (self._folder or self.home) / "checks"

    @property
    def has_file(self) -> bool:
        """Whether there is a propsync.toml, at home or where `--config` says; an empty one is what a full disk left."""
        return self._has_file

    def source(self, name: str) -> str:
        """The source of a setting's value, for messages: "environment", a file, or "default"."""
        return self._sources.get(name, "default")

    def with_token(self, token: SecretStr, setting: str, place: str) -> Settings:
        """The same settings with a token from another place. Raises SettingsError if no header can carry it."""
        try:
            changed = self.model_copy(update={setting: SecretStr(legal_token(token.get_secret_value()))})
        except ValueError as error:
            raise SettingsError(place, str(error), "Put the token there alone") from None
        changed._places = {**self._places, setting: place}
        return changed

    def with_scheduler(self, address: str) -> Settings:
        """The same settings with a Dask scheduler. Raises SettingsError for what is no address of one."""
        try:
            return self.model_copy(update={"archive_dask": check_scheduler(address)})
        except ValueError as error:
            raise SettingsError("--dask", str(error), "Give an address such as tcp://scheduler:8786") from None

    def require_api(self) -> ApiAccess:
        """The address and the token, read now. Raises SettingsError if either is missing or unusable."""
        return self._access("token", self.token, self.token_file)

    def require_push(self) -> ApiAccess:
        """The same for writes, with their own token if somebody set one. Raises SettingsError."""
        if self.push_token is None and self.push_token_file is None:
            return self.require_api()
        return self._access("push_token", self.push_token, self.push_token_file)

    def require_webhook(self) -> WebhookAccess:
        """The secret and the signing key of the receiver, read now. Raises SettingsError."""
        secret = self._secret("webhook_secret", self.webhook_secret, self.webhook_secret_file, check_webhook_secret)
        if secret is None:
            advice = "Set PROPSYNC_WEBHOOK_SECRET_FILE to a file with at least 32 random letters and digits"
            raise SettingsError("PROPSYNC_WEBHOOK_SECRET", "no secret is set", advice)
        key = self._secret(
            "webhook_signing_key", self.webhook_signing_key, self.webhook_signing_key_file, check_signing_key
        )
        return WebhookAccess(secret, None if key is None else SecretBytes(signing_key(key.get_secret_value())))

    def _secret(
        self, setting: str, given: SecretStr | None, file: Path | None, check: Callable[[SecretStr], SecretStr]
    ) -> SecretStr | None:
        if given is not None or file is None:
            return given
        where = self._where(setting, file)
        try:
            return check(_read_token(file, where))
        except ValueError as error:
            raise SettingsError(where, str(error), "Put the secret alone in that file") from None

    def storage(self) -> StorageAccess | None:
        """The bucket, None without one. Raises SettingsError if its credentials are not whole."""
        return self.storage_at(self.storage_url) if self.storage_url else None

    def storage_at(self, url: str) -> StorageAccess:
        """A bucket with the credentials of the environment. Raises SettingsError."""
        try:
            return storage_access(url, self._storage_environ, is_instance=self.storage_identity == "instance")
        except ValueError as error:
            where = "the address of the bucket"  # which may hold a password
            raise SettingsError(where, str(error), "Give s3://bucket/folder or az://container/folder") from None

    def _access(self, setting: str, token: SecretStr | None, file: Path | None) -> ApiAccess:
        variable = PREFIX + setting.upper()
        if self.base_url is None:
            raise SettingsError(
                "PROPSYNC_BASE_URL", "it is not set", "Set it to the address of the API, then run `propsync doctor`"
            )
        if token is not None:
            return ApiAccess(self.base_url, token, None, self._places.get(setting, variable))
        if file is None:
            advice = "Set PROPSYNC_TOKEN_FILE (or PROPSYNC_TOKEN), then run `propsync doctor`"
            raise SettingsError(variable, "no token is set", advice)
        return ApiAccess(self.base_url, _read_token(file, self._where(setting, file)), file, variable)

    def _where(self, setting: str, file: Path) -> str:
        """The name of a secret's file for messages. Raises SettingsError if it may be the secret itself."""
        label = f"{PREFIX}{setting.upper()}_FILE ({self.source(f'{setting}_file')})"
        if may_be_secret(file, (*_own_folder(), self._folder or self.home)):
            what = "no file has that name, which is not shown here: it may be the token or secret itself"
            raise SettingsError(label, what, "Put that alone into a file, and give the path of the file")
        return f"{label} {file}"


def _own_folder() -> list[Path]:
    """The folder that this program runs in; empty if somebody has removed it since."""
    try:
        return [Path.cwd()]
    except FileNotFoundError:
        return []


_LET_US_READ = "Let the user of propsync read it"
_STEPS = {errno.EACCES: _LET_US_READ, errno.EPERM: _LET_US_READ, errno.EIO: LOOK_AT_DISK}


def _read_token(path: Path, where: str) -> SecretStr:
    try:
        return SecretStr(legal_token(read_secret(path)))
    except OSError as error:
        step = _STEPS.get(error.errno or 0, "Put the token in that file")
        raise SettingsError(where, f"it cannot be read: {error.strerror}", step) from None
    except UnicodeDecodeError:
        raise SettingsError(where, "it is not text", "Put the token alone in that file") from None
    except ValueError as error:
        raise SettingsError(where, str(error), "Put the token alone in that file") from None
