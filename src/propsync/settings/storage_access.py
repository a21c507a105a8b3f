"""The bucket of PROPSYNC_STORAGE_URL, and the credentials for it from the ecosystem's own variables or files.

Nothing here asks a metadata address: only PROPSYNC_STORAGE_IDENTITY=instance lets the storage do so.
"""

from __future__ import annotations

import configparser
import ipaddress
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import parse_qs, urlsplit, urlunsplit

from propsync.errors import SettingsError

_S3 = {
    "AWS_ACCESS_KEY_ID": "access_key_id",
    "AWS_SECRET_ACCESS_KEY": "secret_access_key",
    "AWS_SESSION_TOKEN": "session_token",
    "AWS_DEFAULT_REGION": "region",
    "AWS_REGION": "region",  # of two variables with one meaning the later wins
    "AWS_ENDPOINT": "endpoint",
    "AWS_ENDPOINT_URL": "endpoint",
    "AWS_ENDPOINT_URL_S3": "endpoint",
    "AWS_VIRTUAL_HOSTED_STYLE_REQUEST": "virtual_hosted_style_request",
}
_AZURE = {
    "AZURE_STORAGE_ACCOUNT_NAME": "account_name",
    "AZURE_STORAGE_ACCOUNT_KEY": "account_key",
    "AZURE_STORAGE_SAS_TOKEN": "sas_token",
    "AZURE_ENDPOINT": "endpoint",
    "AZURE_STORAGE_ENDPOINT": "endpoint",
    "AZURE_CLIENT_ID": "client_id",
    "AZURE_CLIENT_SECRET": "client_secret",
    "AZURE_TENANT_ID": "tenant_id",
}
_FILES = ("AWS_PROFILE", "AWS_SHARED_CREDENTIALS_FILE", "AWS_CONFIG_FILE")
VARIABLES = (*_S3, *_AZURE, *_FILES, "HOME")
"""The variables of the environment that credentials may need."""

_ENDPOINTS = {"s3": "AWS_ENDPOINT_URL", "az": "AZURE_STORAGE_ENDPOINT"}
_BUCKET = re.compile(r"[A-Za-z0-9$][A-Za-z0-9._-]*")
_SECRETS = ("secret_access_key", "session_token", "account_key", "sas_token", "client_secret")
_KEYS: dict[str, list[tuple[str, ...]]] = {
    "s3": [("access_key_id", "secret_access_key")],
    "az": [
        ("account_name", "account_key"),
        ("account_name", "sas_token"),
        ("account_name", "client_id", "client_secret", "tenant_id"),
    ],
}
_ADVICE = {
    "s3": "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, or PROPSYNC_STORAGE_IDENTITY=instance",
    "az": "Set AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY, or PROPSYNC_STORAGE_IDENTITY=instance",
}


@dataclass(frozen=True, slots=True)
class StorageAccess:
    """A bucket or container, the folder in it, and the options that obstore wants, credentials among them."""

    url: str
    scheme: str
    bucket: str
    prefix: str
    options: Mapping[str, str] = field(repr=False)

    @property
    def secrets(self) -> list[str]:
        """The values that no line may show; of a SAS token also its signature, which addresses repeat."""
        found = [value for name, value in self.options.items() if name in _SECRETS]
        signed = parse_qs(self.options.get("sas_token", "").removeprefix("?")).get("sig", [])
        return found + signed

    @property
    def is_plain(self) -> bool:
        """Whether it is spoken to without TLS, which only loopback may be."""
        return self.options.get("endpoint", "").startswith("http://")


def split_url(url: str) -> tuple[str, str, str]:
    """Scheme, bucket and prefix. Raises ValueError."""
    if not url.isprintable() or "\\" in url:
        raise ValueError("it has a character that no key may have")
    parts = urlsplit(url)
    if parts.scheme not in ("s3", "az"):
        raise ValueError("it begins with neither s3:// nor az://")
    if not _BUCKET.fullmatch(parts.netloc) or parts.query or parts.fragment:
        raise ValueError("it is not a bucket and a folder alone")
    prefix = parts.path.removeprefix("/").removesuffix("/")
    if any(part in ("", ".", "..") for part in prefix.split("/") if prefix):
        raise ValueError("its folder has an empty part, or one of dots")
    return parts.scheme, parts.netloc, prefix


def storage_access(url: str, environ: Mapping[str, str], *, is_instance: bool) -> StorageAccess:
    """The bucket with its credentials. Raises SettingsError if they are not whole."""
    scheme, bucket, prefix = split_url(url)
    names = _S3 if scheme == "s3" else _AZURE
    options = {names[name]: environ[name] for name in names if environ.get(name)}
    if scheme == "s3":
        options = _with_profile(environ, options)
        options.setdefault("region", "us-east-1")
    if "endpoint" in options:
        options["endpoint"] = _endpoint(options["endpoint"], _ENDPOINTS[scheme])
    if not is_instance and not any(all(name in options for name in keys) for keys in _KEYS[scheme]):
        raise SettingsError("PROPSYNC_STORAGE_URL", "it has no whole credentials", _ADVICE[scheme])
    return StorageAccess(url.rstrip("/"), scheme, bucket, prefix, options)


def _endpoint(text: str, variable: str) -> str:
    """The address of a server, which may be another than the cloud's own. Raises SettingsError."""
    advice = "Give an https address, or an http address of this computer"
    try:
        parts = urlsplit(text)
        is_address = parts.port != 0 and bool(parts.hostname)
    except ValueError:
        raise SettingsError(variable, "it is not an address", advice) from None
    if not is_address or parts.scheme not in ("http", "https") or "@" in parts.netloc or parts.query or parts.fragment:
        raise SettingsError(variable, "it is not an address without user, query and fragment", advice)
    if parts.scheme == "http" and not _is_loopback(parts.hostname or ""):
        raise SettingsError(variable, "plain http would show the data", advice)
    return urlunsplit(parts).rstrip("/")


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _with_profile(environ: Mapping[str, str], options: dict[str, str]) -> dict[str, str]:
    """The options with those of a profile in AWS's own files, if no variable names a key: keys are of one source."""
    if "access_key_id" in options:
        return options
    return _of_profile(environ) | {name: value for name, value in options.items() if name not in _SECRETS}


def _of_profile(environ: Mapping[str, str]) -> dict[str, str]:
    profile = environ.get("AWS_PROFILE") or "default"
    home = Path(environ.get("HOME") or "~").expanduser()
    files = {
        environ.get("AWS_SHARED_CREDENTIALS_FILE") or str(home / ".aws/credentials"): profile,
        environ.get("AWS_CONFIG_FILE") or str(home / ".aws/config"): f"profile {profile}",
    }
    found: dict[str, str] = {}
    for path, section in files.items():
        written = configparser.RawConfigParser()
        try:
            written.read(path, encoding="utf-8")
        except (configparser.Error, OSError, UnicodeDecodeError):
            raise SettingsError("AWS_PROFILE", f"{path} cannot be read", "Correct that file") from None
        for name in (section, profile):
            if written.has_section(name):
                items = {f"AWS_{key.upper().removeprefix('AWS_')}": value for key, value in written.items(name)}
                found |= {_S3[key]: value for key, value in items.items() if key in _S3}
    return found
