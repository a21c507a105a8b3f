"""A text is found and erased whatever its signs and spellings are; the exit code tells if one is left."""

from __future__ import annotations

import base64
import html
import io
import json
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import quote, quote_plus

import pytest
from erasing.test_kept_history import pruned
from kit.server import Server
from kit.small_api import SmallApi, SmallHome, asset
from privacy.private import FIRST

from propsync.cli.status.command import print_status
from propsync.erasing.request import Request
from propsync.errors import UsageError
from propsync.runbooks import erase, find
from propsync.runbooks.erasure.verify import verify_erased
from propsync.storage import LocalStorage
from propsync.webhook.inbox import Inbox, Post

pytestmark = pytest.mark.slow
NAME = "Siân O'Brien-Vale"
ODD = (
    NAME,
    'Jane "Janey" Doe-Vale',
    "DOM\\nick Vale",
    "Vale, 50% of [a-z]*",
    "Ольга Вейл",
    "Smith & Vale <b>",
    f"Jane Vale {'moved to another home ' * 20}",
)


@pytest.fixture
def home(tmp_path: Path) -> Iterator[SmallHome]:
    """A home before its first night."""
    api = SmallApi()
    with Server(api) as server:
        yield SmallHome(tmp_path / "home", server.url, api)


def show(home: SmallHome, *notes: str, night: int | None = None) -> None:
    """A night in which assets have these notes."""
    home.server.assets = [asset(f"a{number}", note=note) for number, note in enumerate(notes)]
    assert home.sync(now=None if night is None else FIRST + timedelta(days=night)).exit_code == 0


def post(home: SmallHome, *items: object) -> None:
    """A post that nobody has read yet."""
    Inbox(LocalStorage(home.path)).add([Post(datetime.now(UTC), json.dumps(items).encode())])


def asked(text: str) -> Request:
    return Request(text=text, reason="asked")


@pytest.mark.parametrize("is_ascii", [True, False])
def test_tables_show_a_text_whatever_its_signs_are(home: SmallHome, is_ascii: bool) -> None:
    names = [f"seen by {name.upper().replace(' ', chr(10), 1)}." for name in ODD]
    show(home, *names, *(json.dumps({"by": name}, ensure_ascii=is_ascii) for name in ODD))
    for name in ODD:
        assert find(home.settings(), asked(name)).found["history.assets"] == 2, name
    assert find(home.settings(), asked("Vale Jane")).found == {}


def test_a_text_with_an_apostrophe_goes_from_a_table_alone(home: SmallHome) -> None:
    post(home, {"who": "seen by SEAN O'Brien-Vale", "path": "C:\\Vale"})
    show(home, "nothing")
    assert home.column("select state from ops.hints") == ["unknown"]

    assert erase(home.settings(), asked("Sean O'Brien-Vale")).exit_code == 0

    assert home.column("select payload from ops.hints") == ['{"who":"seen by [erased]","path":"C:\\\\Vale"}']
    assert verify_erased(home.settings(), "Sean O'Brien-Vale").exit_code == 0


@pytest.mark.release
def test_a_text_with_an_apostrophe_goes_from_pruned_history(home: SmallHome) -> None:
    for night, note in enumerate((f"seen by {NAME}", "nothing", "nothing")):
        show(home, note, night=night)
    pruned(home)

    assert erase(home.settings(), asked(NAME)).exit_code == 0

    notes = home.column("select payload->>'$.note' from history.assets order by valid_from")
    assert notes == ["seen by [erased]", "nothing"]
    assert verify_erased(home.settings(), NAME).exit_code == 0


@pytest.mark.release
def test_escapes_of_web_pages_and_addresses_hide_no_text_and_others_stay(home: SmallHome) -> None:
    notes = (
        f"see https://crm.invalid/?who={quote(NAME)}&next=%2Fb%26c",
        f"see https://crm.invalid/?who={quote_plus(NAME)}",
        f"1 &lt; 2, {html.escape(NAME)} and Si&acirc;n O&#39;Brien-Vale",
        json.dumps(json.dumps({"who": html.escape(NAME), "at": "\t"})),
    )
    show(home, *notes)

    assert erase(home.settings(), asked(NAME)).exit_code == 0

    expected = [
        "see https://crm.invalid/?who=[erased]&next=%2Fb%26c",
        "see https://crm.invalid/?who=[erased]",
        "1 &lt; 2, [erased] and [erased]",
        json.dumps(json.dumps({"who": "[erased]", "at": "\t"})),
    ]
    left = "select payload->>'$.note' from assets order by asset_id"
    assert home.column(left) == expected
    assert verify_erased(home.settings(), NAME).exit_code == 0
    home.sync()
    assert home.column(left) == expected
    assert home.rebuild().exit_code == 0
    assert home.column(left) == expected


def test_an_erasure_that_leaves_a_spelling_says_so_each_time(home: SmallHome) -> None:
    show(home, NAME, f"coded: {base64.b64encode(NAME.encode()).decode()}", NAME.replace("'", "''"))
    for _ in range(2):
        erased = erase(home.settings(), asked(NAME))
        assert erased.exit_code == 3
        (line,) = erased.left_behind
        assert "in a spelling that propsync does not erase: " in line
        assert "`propsync erase --verify`" in line
        assert "Brien" not in line
        assert verify_erased(home.settings(), NAME).exit_code == 3


def workbook(words: str) -> bytes:
    """The parts of a workbook that have texts."""
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/sharedStrings.xml", f"<sst><si><t>{html.escape(words)}</t></si></sst>")
    return whole.getvalue()


def test_peoples_own_lists_have_a_text_in_any_spelling(home: SmallHome) -> None:
    show(home, "nothing")
    (home.path / "propsync.toml").write_text('[reference]\nusers = "users.csv"\n')
    quoted = 'user_id,name\nu1,"{}"\n'.format
    for name, content in (
        ('Jane "Janey" Doe-Vale', quoted('Jane ""Janey"" Doe-Vale').encode()),
        (NAME, quoted(NAME).encode("cp1252")),
        ('Siân "Vale" Pugh', quoted('Siân ""Vale"" Pugh').encode("cp1252")),
        (NAME, quoted(NAME).encode("utf-16")),
        ("Smith & Vale-Quill", workbook("Smith & Vale-Quill")),
        (NAME, workbook(NAME)),
    ):
        (home.path / "users.csv").write_bytes(content)
        with pytest.raises(UsageError, match="one of your own files and has it"):
            erase(home.settings(), asked(name))
        place = f"{home.path / 'users.csv'} ([reference] users)"
        found = find(home.settings(), asked(name))
        assert found.found[place] == 1, "to look is no harm, so a person can be told where it is"
        assert place in found.notes[0]


def test_no_hint_brings_an_erased_text_back(home: SmallHome) -> None:
    items = (
        {"type": f"{NAME} moved", "id": "x1"},
        {"type": "assessment", "id": NAME.upper()},
        {"type": "property", "id": NAME},
        {"type": "assessmentschedule", "propertyId": "p1", "typeId": NAME},
        {"type": "assessmentschedule", "propertyId": "p1", "typeId": "k1"},
        {"who": NAME},
    )
    expected = [
        ("ignored", "[erased] moved", None, None),
        ("ignored", "assessment", None, None),
        ("ignored", "assessmentschedule", None, None),
        ("ignored", "property", None, None),
        ("unknown", None, None, '{"who":"[erased]"}'),
        ("waiting", "assessmentschedule", "p1/k1", None),
    ]
    hints = "select state, type, record_id, payload from ops.hints order by all"
    post(home, *items)
    show(home, "nothing")
    assert erase(home.settings(), asked(NAME)).exit_code == 0
    assert home.rows(hints) == expected
    post(home, *items)
    show(home, "nothing")
    assert home.rows(hints) == sorted(expected * 2, key=str)
    assert home.column("select count(*) from ops.hints where key_1 is not null") == [2]
    assert verify_erased(home.settings(), NAME).exit_code == 0


def test_posts_that_no_run_has_read_are_counted_and_damaged_ones_are_named(
    home: SmallHome, capsys: pytest.CaptureFixture[str]
) -> None:
    show(home, NAME)
    post(home, {"who": NAME})
    post(home, {"who": "nobody"})
    assert find(home.settings(), asked(NAME)).found["files"] == 1
    (first, *_) = Inbox(LocalStorage(home.path)).files()
    (home.path / first).write_bytes(b"rotten")
    assert print_status(home.settings(), None, as_json=False) == 0
    assert f"Damaged: {first}: propsync cannot read these hints" in capsys.readouterr().out
    done = erase(home.settings(), asked(NAME))
    assert f"{first} cannot be read, so propsync does not know whether it has it" in done.left_behind
    assert done.exit_code == 3


def test_a_refused_erasure_brings_no_erased_text_back(home: SmallHome) -> None:
    show(home, NAME)
    assert erase(home.settings(), asked(NAME)).exit_code == 0
    post(home, {"type": "property", "id": NAME}, {"type": "property", "id": "p1"})
    with pytest.raises(UsageError, match="nothing in this home has it"):
        erase(home.settings(), asked("nobody has this"))
    show(home, "nothing")
    hints = home.rows("select state, record_id from ops.hints order by all")
    assert hints == [("ignored", None), ("waiting", "p1")]
    assert verify_erased(home.settings(), NAME).exit_code == 0
