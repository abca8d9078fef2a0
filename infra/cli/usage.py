"""Wrong usage, which typer finds before any command runs: scripts that ask for JSON are told in JSON."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import typer
from typer.core import TyperGroup

from infra.cli.answer import print_document

JSON: Final = "--json"
ROOT, KIND = "keyfleet", "usage"
_ASKED: Final = "keyfleet.json"


class Documented(TyperGroup):
    """The root of all commands."""

    def make_context(self, info_name: str | None, args: list[str], *more: Any, **extra: Any) -> Any:
        """Read the root's own options, and note whether a document is asked for."""
        asked = JSON in args
        with _documented(asked=asked):
            context = super().make_context(info_name, args, *more, **extra)
        context.meta[_ASKED] = asked
        return context

    def invoke(self, ctx: Any) -> Any:
        """Read the options of the command that is meant, and run it."""
        with _documented(asked=ctx.meta[_ASKED]):
            return super().invoke(ctx)


class ShowsFirst(TyperGroup):
    """Commands about one thing: where none of them is named, the thing is shown."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Take what is no command for the name of a thing to show."""
        named = args and (args[0] in self.commands or args[0].startswith("-"))
        return super().resolve_command(ctx, args if named else ["show", *args])


@contextmanager
def _documented(*, asked: bool) -> Iterator[None]:
    # Typer goes on to say it to people, and exits.
    try:
        yield
    except typer.TyperException as error:
        if asked:
            told = {
                "kind": KIND,
                "message": error.format_message(),
                "remedy": f"see {_command(error)} --help",
            }
            print_document({"error": told})
        raise


def _command(error: typer.TyperException) -> str:
    """Return the command that was used wrongly, as far as it was understood."""
    context = getattr(error, "ctx", None)
    return ROOT if context is None else " ".join((ROOT, *context.command_path.split()[1:]))
