"""The page of commands, written from what the command line itself says."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import typer.main

PAGE: Final = Path("infra/docs/commands.md")
OWNED: Final = (str(PAGE),)

_HEAD: Final = """# The command

Written by `python -m infra.codegen` from `infra/cli`. `keyfleet COMMAND --help` says the same at a terminal.

Every command takes `--json`; those about a fleet `--home` (or `KEYFLEET_HOME`) and `--port`
(or `KEYFLEET_PORT`), those about a simulator `--port` (or `KEYFLEET_SIM_PORT`). Exit status:

{codes}

| `keyfleet …` | does |
|---|---|
"""
_OF_EVERY_COMMAND: Final = frozenset({"--json", "--home", "--port", "--help", "--token"})


def generate() -> dict[Path, str]:
    """Return the page."""
    # What the page shows is loaded when it is written: importing a generator runs nothing.
    from infra.cli.main import app
    from infra.cli.problems import EXIT_CODES

    codes = "\n".join(f"- {code}: {meaning}" for code, meaning in EXIT_CODES)
    rows = "\n".join(_rows(typer.main.get_command(app), ()))
    return {PAGE: f"{_HEAD.format(codes=codes)}{rows}\n"}


def _rows(command: Any, path: tuple[str, ...]) -> Iterator[str]:
    if inside := getattr(command, "commands", None):
        for name, inner in inside.items():
            if not inner.hidden:
                yield from _rows(inner, (*path, name))
        return
    usage = " ".join((*path, *(_written(each) for each in command.params if _own(each))))
    yield f"| `{usage}` | {_first_sentence(command.help)} |"


def _own(parameter: Any) -> bool:
    return not _OF_EVERY_COMMAND & {*parameter.opts}


def _written(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        name = (parameter.metavar or parameter.name).upper().strip("[]")
        many = "…" if parameter.nargs < 0 else ""
        return f"{name}{many}" if parameter.required else f"[{name}{many}]"
    value = "" if parameter.is_flag else f" {(parameter.metavar or parameter.name).upper()}"
    return f"[{parameter.opts[0]}{value}]" if not parameter.required else f"{parameter.opts[0]}{value}"


def _first_sentence(text: str | None) -> str:
    return " ".join((text or "").split("\n\n", maxsplit=1)[0].split())
