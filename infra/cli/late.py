"""Commands that are read in when they are asked for: one module of a hundred, and its options alone."""

from collections import UserDict
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

import typer.main
from typer.core import TyperGroup

Command = Any
"""What typer makes of a function, or of commands under one name."""
Row = Callable[[str], Command]
"""Makes a command of the name that it gets."""


class Late(UserDict[str, Any]):
    """The commands of a group by their names, each made once, when somebody wants it."""

    def __getitem__(self, name: str) -> Command:
        """Return a command, which is read in the first time."""
        found = self.data[name]
        if not isinstance(found, typer.core.TyperCommand | TyperGroup):
            found = self.data[name] = found(name)
        return found


def leaf(
    wrap: Callable[[Callable[..., Any]], Callable[..., None]], where: str, *, hidden: bool = False
) -> Row:
    """Return a row of one command, written as a function: `status`, or `locks:doors`."""

    def made(name: str) -> Command:
        single = typer.Typer(add_completion=False)
        single.command(name, hidden=hidden)(wrap(_loaded(where)))
        return typer.main.get_command(single)

    return made


def group(said: str, rows: Mapping[str, Row], cls: type[TyperGroup] = TyperGroup) -> Row:
    """Return a row of commands that have a name in common."""

    def made(name: str) -> Command:
        found = typer.main.get_group(typer.Typer(name=name, cls=cls, no_args_is_help=True, help=said))
        found.commands = Late(rows)
        return found

    return made


def written(where: str) -> Row:
    """Return a row of commands whose module says itself what they have in common."""

    def made(name: str) -> Command:
        found = typer.main.get_group(_loaded(where))
        found.name = name
        return found

    return made


def _loaded(where: str) -> Any:
    module, _, name = where.partition(":")
    return getattr(import_module(f"infra.cli.{module}"), name or module)
