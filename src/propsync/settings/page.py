"""The page of settings, which `make docs` writes to docs/settings.md."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from propsync.settings.messages import accepted_values, settings_table

_OPENING = """\
<!-- `make docs` writes this page from the program's own settings: change src/propsync/settings, not this page -->

# Settings

## Where settings come from

propsync reads each setting from the environment, and then from `propsync.toml`. The environment wins.

`propsync.toml` is in the home folder, or wherever `--config` points. In that file, write the name in lower case and
without `PROPSYNC_`. Never put the token in it: propsync refuses such a file.

```toml
# propsync.toml
page_limit = 500
assessment_statuses = "submitted,approved"
time_zone = "Europe/London"
```

A list is one text with commas between its values. propsync reads an empty variable as not set. Paths in `propsync.toml`
are relative to the folder of that file.

Run `propsync doctor` after a change. It names each `PROPSYNC_` variable that is not a setting, and each status of yours
that no record has.

## Every setting

Set the first one, the token or its file, and the home folder. Leave the others at their defaults until you need them.

"""
_TABLES = """
## Your own lists

`[reference]` names your own lists, as CSV or .xlsx files. [Your lists and choices](desk.md) explains what they hold.

```toml
[reference]
properties = "properties.csv"
users = "users.csv"
requirements = "requirements.csv"
```

## What the marts rest on

`[desk]` says which member dates an assessment, which words mean open or failed, and which fields play a role. propsync
finds each of these in the data if you leave it out. [Your lists and choices](desk.md#choices) explains each entry.

```toml
[desk]
assessment_date = "performedDate"
due_soon_days = 30
```

## What to hide

`[privacy]` names fields and members that propsync leaves out of everything published. [Privacy](privacy.md) explains
the forms, and what stays.

```toml
[privacy]
hide = ["assets.fields[Resident notes]", "assessments.occupant"]
```

## Further lists of the API

`[resources.NAME]` names a list that the API's document does not describe. propsync keeps it like assets or schedules.
[Further lists of the API](further-lists.md) explains each entry.

```toml
[resources.properties]
path = "/properties"
id_filter = "id"
```

## Overruling a shape

The API's document does not show where a record keeps its status, its field values and some other parts. propsync finds
these places from the data, and `propsync doctor` shows each with its evidence. If one is wrong, name the right place
under `[shapes]`. Join the names of members with dots.

Records may have several forms at once, for example while the service changes them one by one. propsync then finds
several places, and `propsync doctor` lists them in the order in which it tries them. In propsync.toml, name several
places as a list, such as `"result_value:option" = ["value", "values"]` for the values of option fields.

An empty text under `list` means that the answer is a bare array. Under `field_id`, `option_id` or `result_field`, it
means the name of the member, in an object keyed by id. Under `result_value:KIND`, it means the whole result, such as
the value itself in an object keyed by field.

```toml
[shapes.assessments]
status = "state.code"

[shapes.assets]
result_field = "definition.id"
# differs at every reading although nothing changed
volatile = ["fields[image].value.url"]
```

These lines only show the form. If no record has such a path, its resource fails. propsync refuses an id, property,
type or status under `volatile`: their changes always count. After a change, run `propsync rebuild`: the new shape then
applies to everything that propsync still keeps.
"""


def settings_page() -> str:
    """The whole text, in Markdown."""
    return _OPENING + "\n".join(_rows()) + "\n" + _TABLES


def _rows() -> Iterator[str]:
    takes = accepted_values()
    yield "| name | meaning | default |"
    yield "| --- | --- | --- |"
    for name, meaning, default in settings_table():
        if name in takes:
            cells = (f"`{name}`", f"{meaning}<br>*give {takes[name]}*", default.replace(",", ", "))
            yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


if __name__ == "__main__":
    sys.stdout.write(settings_page())
