"""The lock has what every Python of pyproject.toml needs, on Linux, and no address."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest
from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
LOCK = (ROOT / "requirements.lock").read_text(encoding="utf-8")
PINS = [Requirement(line.rstrip("\\ ")) for line in LOCK.splitlines() if re.match(r"[a-z0-9]", line)]
VERSIONS = ("3.11", "3.12", "3.13", "3.14")


def _environment(version: str, extra: str = "") -> dict[str, str]:
    here = {name: str(value) for name, value in default_environment().items()}
    return {**here, "python_version": version, "python_full_version": f"{version}.9", "extra": extra}


def _applies(requirement: Requirement, version: str, extras: set[str]) -> bool:
    marker = requirement.marker
    return marker is None or any(marker.evaluate(_environment(version, extra)) for extra in ("", *extras))


def _asked(version: str) -> Iterator[tuple[str, Requirement]]:
    """The needs of the project and of each pinned library under one Python, each with its owner."""
    groups = [PROJECT["project"]["dependencies"], *PROJECT["project"]["optional-dependencies"].values()]
    groups.append(PROJECT["dependency-groups"]["dev"])
    waiting = [("propsync", Requirement(text)) for group in groups for text in group]
    seen = set()
    while waiting:
        who, requirement = waiting.pop()
        yield who, requirement
        extras = set(requirement.extras)
        name = canonicalize_name(requirement.name)
        if (name, *sorted(extras)) in seen:
            continue
        seen.add((name, *sorted(extras)))
        try:
            found = [Requirement(text) for text in distribution(name).requires or []]
        except PackageNotFoundError:  # pinned for another Python than this one, so its needs are not known here
            continue
        waiting += [(name, one) for one in found if _applies(one, version, extras)]


@pytest.mark.parametrize("version", VERSIONS)
def test_everything_that_is_needed_is_pinned(version: str):
    pinned = {canonicalize_name(pin.name): pin for pin in PINS if _applies(pin, version, set())}
    lacking = {f"{who} needs {one}" for who, one in _asked(version) if canonicalize_name(one.name) not in pinned}
    assert not lacking


@pytest.mark.parametrize("version", VERSIONS)
def test_what_is_pinned_is_what_is_asked_for(version: str):
    pinned = {canonicalize_name(pin.name): pin for pin in PINS if _applies(pin, version, set())}
    wrong = {
        f"{who} needs {one}, the lock has {pin}"
        for who, one in _asked(version)
        if (pin := pinned.get(canonicalize_name(one.name)))
        and not one.specifier.contains(str(pin.specifier).removeprefix("=="), prereleases=True)
    }
    assert not wrong


def test_the_versions_are_those_of_pyproject():
    promised = SpecifierSet(PROJECT["project"]["requires-python"])
    assert [f"3.{minor}" for minor in range(30) if promised.contains(f"3.{minor}.9")] == list(VERSIONS)


def test_every_pin_has_hashes_and_none_an_address():
    pins = re.split(r"\n(?=[a-z0-9])", LOCK.strip())
    assert len(pins) == len(PINS) > 100
    assert not [pin.splitlines()[0] for pin in pins if "--hash=sha256:" not in pin]
    assert "://" not in LOCK
