"""Templates that LibreOffice has opened and saved: they plan nothing, and after ten edits exactly those ten."""

from __future__ import annotations

import csv
import io
import re
import shutil
import subprocess
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path

import pytest
from kit.dialects import Dialect
from kit.home import Home
from kit.needs import needs
from kit.sandbox_home import SandboxHome
from kit.world_home import WorldHome
from kit.world_server import WorldServer
from push.corrections import TEXTS, corrections_world, planned
from variants import some

from propsync.push.plan import Plan
from propsync.runbooks.push.plans import Wanted, make_template
from propsync_sandbox import Sandbox

pytestmark = [pytest.mark.slow, needs("soffice")]

_TYPES = 14
_UTF8, _WINDOWS = "76", "1"
_READ = (
    "--infilter=csv:44,34,76,1,,0,false,true"  # a CSV in UTF-8, with dates and times as people's LibreOffice sees them
)


def _as_csv(encoding: str) -> str:
    return f"csv:Text - txt - csv (StarCalc):44,34,{encoding},1,,0,false,true,false"


@dataclass(frozen=True)
class Saved:
    """A way to open a template and to save it: the kind of template, LibreOffice's words, and the encoding of a CSV."""

    name: str
    template: str
    words: tuple[str, ...]
    encoding: str = "utf-8"

    @property
    def suffix(self) -> str:
        """The suffix of the saved file."""
        return ".xlsx" if "xlsx" in self.words else ".csv"


WAYS = [
    Saved("xlsx", ".xlsx", ("--convert-to", "xlsx")),
    Saved("csv in UTF-8", ".xlsx", ("--convert-to", _as_csv(_UTF8))),
    Saved("csv in Windows-1252", ".xlsx", ("--convert-to", _as_csv(_WINDOWS)), "windows-1252"),
    Saved("csv opened as csv", ".csv", (_READ, "--convert-to", _as_csv(_UTF8))),
    Saved("xlsx opened as csv", ".csv", (_READ, "--convert-to", "xlsx")),
]
TEXTS_ARE_KEPT = WAYS[:3]
"""The ways that begin with cells of text; a CSV tells no spreadsheet which of its cells are texts."""


def save(way: Saved, templates: list[Path], folder: Path) -> list[Path]:
    """The templates after LibreOffice."""
    profile = f"-env:UserInstallation=file://{folder}/profile"
    words = ["soffice", "--headless", profile, *way.words, "--outdir", str(folder), *map(str, templates)]
    subprocess.run(words, check=True, capture_output=True, timeout=300)
    return [folder / f"{path.stem}{way.suffix}" for path in templates]


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SandboxHome]:
    """A home with assets of each of the sandbox's types."""
    with Sandbox(scale=300, seed=11) as made:
        home = SandboxHome(made, tmp_path_factory.mktemp("sandbox") / "home")
        home.sync(["assets", "schedules"])
        yield home


@pytest.fixture(scope="module")
def corrections(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WorldHome]:
    """A home with texts and labels that spreadsheets like to change."""
    with WorldServer(Dialect(corrections_world())) as server:
        home = WorldHome(tmp_path_factory.mktemp("corrections") / "home", server)
        home.sync()
        yield home


@pytest.fixture(scope="module")
def templates(sandbox: SandboxHome, tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Path]]:
    """A template of each type, by suffix."""
    folder = tmp_path_factory.mktemp("templates")
    names = sandbox.rows("select table_name, asset_type_id from asset_types order by 1")
    assert len(names) == _TYPES
    return {
        suffix: [
            make_template(sandbox.settings(), "assets", key, (), folder / f"{name}{suffix}")[0] for name, key in names
        ]
        for suffix in (".xlsx", ".csv")
    }


def plan_of(home: Home, path: Path, folder: Path) -> Plan:
    return planned(home, folder, Wanted("assets", path))


@pytest.mark.costly
@pytest.mark.parametrize("way", some(WAYS, 2), ids=lambda way: way.name)
def test_an_unedited_template_of_each_type_plans_nothing_and_ten_edits_are_planned(
    sandbox: SandboxHome, templates: dict[str, list[Path]], tmp_path: Path, way: Saved
) -> None:
    saved = save(way, templates[way.template], tmp_path)
    for path in saved:
        plan = plan_of(sandbox, path, tmp_path)
        assert (plan.entries, plan.refused) == ([], []), path.name
        assert plan.notes, "it has rows"
    path = tmp_path / f"communal_fire_doors{way.suffix}"
    rows = sandbox.rows("select count(*) from by_type.communal_fire_doors")[0][0]
    assert rows > 20
    edits = _ten_edits(sandbox)
    (edit_sheet if way.suffix == ".xlsx" else edit_csv)(path, edits, way.encoding)
    plan = plan_of(sandbox, path, tmp_path)
    assert plan.refused == []
    assert {(one.key[0], edit.label): _shown(edit.new, edit.names) for one in plan.entries for edit in one.changes} == {
        (key, label): value for key, label, value in edits
    }


def _ten_edits(home: Home) -> list[tuple[str, str, str]]:
    """Ten edits of ten doors: the asset, the label, and a value that it does not have."""
    keys = home.column("select asset_id from by_type.communal_fire_doors order by asset_id limit 10")
    values = [
        *(("Location", "Core A, floor 2"), ("Notes", "Łódź 🚪"), ("Notes", "=1+1"), ("Gap at head (mm)", "987.50")),
        *(("Date installed", "1999-12-31"), ("Last inspected", "1999-12-30"), ("Time of inspection", "03:33")),
        *(
            ("Fire rating", "Notional; FD30"),
            ("Door tag", "QR0001"),
            ("Defects", "Closer faulty; Seal missing; Hinge loose"),
        ),
    ]
    return [(key, label, value) for key, (label, value) in zip(keys, values, strict=True)]


def _shown(value: object, names: dict[str, str]) -> str:
    return "; ".join(names[str(one)] for one in value) if isinstance(value, list) else str(value)


def edit_csv(path: Path, edits: list[tuple[str, str, str]], encoding: str) -> None:
    """Writes values into a CSV that LibreOffice has saved, as its editor would."""
    header, *rows = csv.reader(io.StringIO(path.read_text(encoding=encoding), newline=""))
    of_asset = {row[0]: row for row in rows}
    for key, label, value in edits:
        of_asset[key][header.index(label)] = value
    with path.open("w", encoding="utf-8" if encoding == "utf-8" else "utf-8-sig", newline="") as file:
        csv.writer(file).writerows([header, *rows])


def edit_sheet(path: Path, edits: list[tuple[str, str, str]], _encoding: str) -> None:
    """Writes texts into a workbook that LibreOffice has saved."""
    with zipfile.ZipFile(path) as book:
        parts = {name: book.read(name) for name in book.namelist()}
    shared = re.findall(r"<si>.*?</si>", parts["xl/sharedStrings.xml"].decode(), re.DOTALL)
    texts = [re.sub(r"<[^>]+>", "", one) for one in shared]
    sheet = parts["xl/worksheets/sheet1.xml"].decode()
    shown = {at: texts[int(number)] for at, number in re.findall(r'<c r="(\w+)"[^>]*t="s"[^>]*><v>(\d+)</v>', sheet)}
    columns = {text: at.rstrip("1") for at, text in shown.items() if re.fullmatch("[A-Z]+1", at)}
    rows = {text: at[1:] for at, text in shown.items() if re.fullmatch(r"A\d+", at)}
    for key, label, value in edits:
        row = re.search(rf'<row r="{rows[key]}"[^>]*>(.*?)</row>', sheet, re.DOTALL)
        assert row is not None
        cells = {
            found[1]: found[0] for found in re.finditer(r'<c r="([A-Z]+)\d+"[^>]*?(?:/>|>.*?</c>)', row[1], re.DOTALL)
        }
        address = f"{columns[label]}{rows[key]}"
        cells[columns[label]] = f'<c r="{address}" t="inlineStr"><is><t>{escape(value)}</t></is></c>'
        sheet = sheet.replace(row[1], "".join(cells[at] for at in sorted(cells)), 1)
    parts["xl/worksheets/sheet1.xml"] = sheet.encode()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as book:
        for name, part in parts.items():
            book.writestr(name, part)


@pytest.mark.parametrize("way", TEXTS_ARE_KEPT, ids=lambda way: way.name)
def test_hostile_texts_and_labels_survive_where_cells_are_texts(
    corrections: WorldHome, tmp_path: Path, way: Saved
) -> None:
    path, count, _ = make_template(corrections.settings(), "assets", "Doors", (), tmp_path / f"doors{way.template}")
    assert count == len(TEXTS)
    (folder := tmp_path / "saved").mkdir()
    (saved,) = save(way, [path], folder)
    plan = plan_of(corrections, saved, tmp_path)
    assert (plan.entries, plan.refused) == ([], [])


def test_an_ods_file_loses_tabs_and_nothing_else(corrections: WorldHome, tmp_path: Path) -> None:
    path, _, _ = make_template(corrections.settings(), "assets", "Doors", (), tmp_path / "doors.xlsx")
    (between := tmp_path / "ods").mkdir()
    save(Saved("ods", ".xlsx", ("--convert-to", "ods")), [path], between)
    (folder := tmp_path / "saved").mkdir()
    (saved,) = save(WAYS[0], [between / "doors.ods"], folder)
    plan = plan_of(corrections, saved, tmp_path)
    assert (plan.entries, plan.refused) == ([], [])
    assert plan.notes[0].startswith("Tabs: 2 cells show a text without its tabs")


@pytest.mark.parametrize("way", WAYS[3:], ids=lambda way: way.name)
def test_texts_that_a_spreadsheet_changes_in_a_csv_are_refused_and_never_planned(
    corrections: WorldHome, tmp_path: Path, way: Saved
) -> None:
    path, _, _ = make_template(corrections.settings(), "assets", "Doors", (), tmp_path / "doors.csv")
    (folder := tmp_path / "saved").mkdir()
    (saved,) = save(way, [path], folder)
    plan = plan_of(corrections, saved, tmp_path)
    assert plan.entries == []
    damaged = {one.found for one in plan.refused if one.column and one.column.startswith("Location [location] ")}
    assert len(damaged) >= 3
    shutil.rmtree(folder)


@pytest.mark.costly
@pytest.mark.parametrize("way", some(WAYS, 2), ids=lambda way: way.name)
def test_a_template_of_schedules_plans_nothing(sandbox: SandboxHome, tmp_path: Path, way: Saved) -> None:
    path, count, _ = make_template(sandbox.settings(), "schedules", None, (), tmp_path / f"schedules{way.template}")
    assert count > 20
    (folder := tmp_path / "saved").mkdir()
    (saved,) = save(way, [path], folder)
    plan = planned(sandbox, tmp_path, Wanted("schedules", saved))
    assert (plan.entries, plan.refused) == ([], [])
