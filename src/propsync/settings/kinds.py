"""The kinds of value that settings take: the check of each, and the values that it accepts, in words."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, SecretStr

from propsync.settings import checks, desk, further_lists, privacy


@dataclass(frozen=True, slots=True)
class Accepts:
    """The values that a setting takes, in words that can follow "Give"."""

    words: str


def _number(words: str) -> tuple[BeforeValidator, Accepts]:
    return BeforeValidator(checks.no_boolean), Accepts(words)


_STATUSES = "statuses as the API spells them, with commas between, at most 1,500 characters in all"
BaseUrl = Annotated[
    str,
    AfterValidator(checks.check_base_url),
    Accepts("an https address without user, query or fragment, such as https://api.example.org/v1"),
]
Token = Annotated[
    SecretStr, AfterValidator(checks.check_token), Accepts("the bearer token alone, without the word Bearer")
]
Home = Annotated[Path, AfterValidator(checks.check_home), Accepts("a folder on a local disk")]
TokenFile = Annotated[
    Path, AfterValidator(checks.absolute), Accepts("the path of a file, or of a pipe, that holds the token alone")
]
SecretFile = Annotated[
    Path, AfterValidator(checks.absolute), Accepts("the path of a file, or of a pipe, that holds nothing else")
]
Storage = Annotated[
    str,
    AfterValidator(checks.check_storage),
    Accepts("s3://bucket/folder or az://container/folder, or leave it out to keep everything under PROPSYNC_HOME"),
]
Identity = Annotated[
    str, AfterValidator(checks.check_identity), Accepts("instance, or leave it out and set the credentials")
]
Scheduler = Annotated[
    str,
    AfterValidator(checks.check_scheduler),
    Accepts("the address of a Dask scheduler, such as tcp://scheduler:8786, or leave it out"),
]
Zone = Annotated[str, AfterValidator(checks.check_time_zone), Accepts("an IANA name such as Europe/London")]
Memory = Annotated[str, AfterValidator(checks.check_memory), Accepts("a size such as 1GB or 512MB")]
NotifyUrl = Annotated[
    SecretStr, AfterValidator(checks.check_notify_url), Accepts("an https address (http on this computer only)")
]
WebhookSecret = Annotated[
    SecretStr,
    AfterValidator(checks.check_webhook_secret),
    Accepts("at least 32 letters, digits, - and _, chosen at random"),
]
SigningKey = Annotated[
    SecretStr,
    AfterValidator(checks.check_signing_key),
    Accepts("the key as the service shows it, such as whsec_ and letters and digits"),
]
HeaderName = Annotated[
    str,
    AfterValidator(checks.check_header),
    Accepts("the name of a header that your proxy always sets, such as X-Real-IP, or leave it out"),
]
Statuses = Annotated[
    tuple[str, ...],
    BeforeValidator(checks.split),
    AfterValidator(checks.check_list),
    AfterValidator(checks.check_statuses),
    Accepts(_STATUSES),
]
DocumentKinds = Annotated[
    tuple[str, ...],
    BeforeValidator(checks.split),
    AfterValidator(checks.check_list),
    AfterValidator(checks.check_kinds),
    Accepts("report, bundle, both with a comma between, or none"),
]
DeltaSchemas = Annotated[
    tuple[str, ...],
    BeforeValidator(checks.split),
    AfterValidator(checks.check_schemas),
    Accepts("main, by_type, marts, history, some of them with commas between, or none"),
]
# Upper bounds keep sums of time and bytes within what a computer can count.
PageLimit = Annotated[int, Field(ge=1, le=1000), *_number("a whole number from 1 to 1000")]
Concurrency = Annotated[int, Field(ge=1, le=1000), *_number("a whole number from 1 to 1000")]
Count = Annotated[int, Field(ge=1, le=10**9), *_number("a whole number from 1 to 1000000000")]
Days = Annotated[int, Field(ge=1, le=10**6), *_number("a whole number of days from 1 to 1000000")]
Years = Annotated[int, Field(ge=1, le=1_000), *_number("a whole number of years from 1 to 1000")]
Share = Annotated[
    float, Field(ge=0, le=1, allow_inf_nan=False), *_number("a share from 0 to 1, such as 0.02 for 2 per cent")
]
Seconds = Annotated[
    float, Field(ge=0, le=10**9, allow_inf_nan=False), *_number("a number of seconds from 0 to 1000000000")
]
Amount = Annotated[float, Field(gt=0, le=10**9, allow_inf_nan=False), *_number("a number above 0, at most 1000000000")]
Switch = Annotated[bool, Accepts("true or false")]
FurtherLists = Annotated[
    dict[str, dict[str, Any]],
    AfterValidator(further_lists.check_lists),
    Accepts('each list its path, [resources.properties] path = "/properties", and what differs from the defaults'),
]
Shapes = Annotated[
    dict[str, Any],
    Accepts('a table for each list, [shapes.assessments], and paths below it: status = "state.code"'),
]
Desk = Annotated[
    desk.DeskSettings,
    BeforeValidator(desk.read_desk),
    Accepts('entries such as due_soon_days = 30 or fails = ["Fail", "Poor"]; docs/desk.md shows each'),
]
Privacy = Annotated[
    privacy.PrivacySettings,
    BeforeValidator(privacy.read_privacy),
    Accepts('hide = ["assets.fields[Resident notes]"]; docs/privacy.md shows each form'),
]
Reference = Annotated[
    dict[str, Path],
    BeforeValidator(checks.any_lists),
    AfterValidator(checks.check_reference),
    Accepts('names and paths of CSV or .xlsx files: properties = "properties.csv"'),
]
