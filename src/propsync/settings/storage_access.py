"""The bucket of PROPSYNC_STORAGE_URL, and the credentials for it from the ecosystem's own variables or files.

Nothing here asks a metadata address: only PROPSYNC_STORAGE_IDENTITY=instance lets the storage do so.
"""

from __future__ import annotations

import configparser
import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from propsync.errors import SettingsError

_S3 = {
    "AWS_ACCESS_KEY_ID": "access_key_id",
    "AWS_SECRET_ACCESS_KEY": "secret_access_key",
    "AWS_SESSION_TOKEN": "session_token",
    "AWS_REGION": "region",
    "AWS_DEFAULT_REGION": "region",
    "AWS_ENDPOINT_URL": "endpoint",
    "AWS_ENDPOINT_URL_S3": "endpoint",
    "AWS_VIRTUAL_HOSTED_STYLE_REQUEST": "virtual_hosted_style_request",
}
_AZURE = {
    "AZURE_STORAGE_ACCOUNT_NAME": "account_name",
    "AZURE_STORAGE_ACCOUNT_KEY": "account_key",
    "AZURE_STORAGE_SAS_TOKEN": "sas_token",
    "AZURE_STORAGE_ENDPOINT": "endpoint",
    "AZURE_CLIENT_ID": "client_id",
    "AZURE_CLIENT_SECRET": "client_secret",
    "AZURE_TENANT_ID": "tenant_id",
}
_FILES = ("AWS_PROFILE", "AWS_SHARED_CREDENTIALS_FILE", "AWS_CONFIG_FILE")
VARIABLES = (*_S3, *_AZURE, *_FILES, "HOME")
"""The variables of the environment that credentials may need."""

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
    parts = urlsplit(url)
    if parts.scheme not in ("s3", "az"):
        raise ValueError("it begins with neither s3:// nor az://")
    if not parts.netloc or parts.username or parts.query or parts.fragment:
        raise ValueError("it is not a bucket and a folder alone")
    prefix = parts.path.strip("/")
    if any(part in ("", ".", "..") for part in prefix.split("/") if prefix):
        raise ValueError("its folder has an empty part, or one of dots")
    return parts.scheme, parts.netloc, prefix


def storage_access(url: str, environ: Mapping[str, str], *, is_instance: bool) -> StorageAccess:
    """The bucket with its credentials. Raises SettingsError if they are not whole."""
    scheme, bucket, prefix = split_url(url)
    names = _S3 if scheme == "s3" else _AZURE
    options = {names[name]: environ[name] for name in names if environ.get(name)}
    if scheme == "s3":
        options = _of_profile(environ, options) | options
        options.setdefault("region", "us-east-1")
    options = options | _of_endpoint(options)
    if not is_instance and not any(all(name in options for name in keys) for keys in _KEYS[scheme]):
        raise SettingsError("PROPSYNC_STORAGE_URL", "it has no whole credentials", _ADVICE[scheme])
    return StorageAccess(url.rstrip("/"), scheme, bucket, prefix, options)


def _of_endpoint(options: Mapping[str, str]) -> dict[str, str]:
    endpoint = options.get("endpoint", "")
    if not endpoint.startswith("http://"):
        return {}
    if not _is_loopback(urlsplit(endpoint).hostname or ""):
        advice = "Use https, or an address of this computer"
        raise SettingsError("AWS_ENDPOINT_URL or AZURE_STORAGE_ENDPOINT", "plain http would show the data", advice)
    return {"endpoint": endpoint.rstrip("/")}


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _of_profile(environ: Mapping[str, str], options: Mapping[str, str]) -> dict[str, str]:
    """The keys of a profile in AWS's own files; only a missing variable makes propsync look there."""
    if "access_key_id" in options:
        return {}
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
