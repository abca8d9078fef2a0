"""The page of commands says what the command line says, and no more."""

import typer.main

from infra.cli.main import app
from infra.codegen.commands_page import PAGE, generate


def _leaves(command, path=()):
    inside = getattr(command, "commands", None)
    if not inside:
        return [" ".join(path)]
    return [leaf for name, each in inside.items() if not each.hidden for leaf in _leaves(each, (*path, name))]


def test_every_command_stands_on_the_page_with_a_sentence():
    rows = [line for line in generate()[PAGE].splitlines() if line.startswith("| `")][1:]
    leaves = _leaves(typer.main.get_command(app))
    assert len(rows) == len(leaves)
    for row, leaf in zip(rows, leaves, strict=True):
        assert row.startswith(f"| `{leaf}")
        assert row.rstrip(" |").endswith(".")


def test_what_is_hidden_is_not_shown():
    assert "`dead-letters " not in generate()[PAGE]
