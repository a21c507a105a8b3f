"""The settings file of a call, and options that several commands take."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import _click as typer_click
from typer.core import TyperCommand, TyperGroup

if TYPE_CHECKING:
    from propsync.settings import Settings

config: Path | None = None
command: str | None = None

AsJson = Annotated[
    bool, typer.Option("--json", help="Print one JSON object on standard output, and log lines on standard error.")
]


def ids_option(name: str, wanted: str) -> Any:
    """An option that takes several ids."""
    return typer.Option(name, metavar="ID…", show_default=False, help=wanted)


def settings() -> Settings:
    """The settings of this call; logs names that are not settings. Raises SettingsError.

    Each command calls it when all its imports are complete. Interrupting an import can abort Python, so only from here
    on does a stop raise KeyboardInterrupt.
    """
    from propsync.cli import stopping
    from propsync.settings import load_settings, nearest_variable

    stopping.begin()
    loaded = load_settings(config)
    for name in loaded.unrecognised:
        near = f". Did you mean {meant}?" if (meant := nearest_variable(name)) else ""
        logging.getLogger("propsync.settings").warning("%s is not a setting; propsync ignores it%s", name, near)
    return loaded


class ManyValues(TyperCommand):
    """A command whose options take several values each, one after the other: `--property A B`."""

    def parse_args(self, ctx: typer_click.Context, args: list[str]) -> list[str]:
        """Repeats each option before each of its values."""
        return super().parse_args(ctx, _spread(self.params, args))


class ManyValuesGroup(TyperGroup):
    """The same for a command with subcommands."""

    def parse_args(self, ctx: typer_click.Context, args: list[str]) -> list[str]:
        """Repeats each option before each of its values, up to the name of a command."""
        names = [place for place, word in enumerate(args) if word in self.commands]
        own = names[0] if names else len(args)
        return super().parse_args(ctx, [*_spread(self.params, args[:own]), *args[own:]])


def _spread(params: Any, args: list[str]) -> list[str]:
    """Puts the option before each of its values; the first of them may begin with a dash, as ids do."""
    several = {name for option in params if option.multiple for name in option.opts}
    spread: list[str] = []
    option = None
    for word in args:
        if word in several and (not spread or spread[-1] != option):
            option = word
        elif option is not None and spread[-1] != option:
            option = None if word.startswith("-") else option
            spread += [option] if option else []
        spread.append(word)
    return spread
