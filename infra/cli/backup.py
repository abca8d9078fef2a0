"""`keyfleet backup`: a running fleet's home is copied, and put into a place of its own."""

from pathlib import Path
from typing import Annotated, Final

import typer

from infra.cli.address import FleetAddress
from infra.cli.answer import Answer, line, plain
from infra.cli.command import at_a_place
from infra.cli.problems import Failed, Refused

Out = Annotated[Path, typer.Argument(help="A folder that is not there yet; it holds the keys, too.")]
Folder = Annotated[Path, typer.Argument(help="The folder of a backup.")]
ELSEWHERE: Final = "name a home that is not there yet with --home"

backup = typer.Typer(no_args_is_help=True, help="Copies of a home, taken while it runs.")


def make(at: FleetAddress, folder: Out) -> Answer:
    """Copy this home as of now, running or not, with the keys that open it."""
    from infra.local.backup import NotCopied, back_up

    if not at.has_database():
        raise Refused(f"no fleet has lived in {at.home}", "name the home of one")
    try:
        manifest = back_up(at.home, folder)
    except FileExistsError:
        raise Refused(f"{folder} is there already", "name a folder that is not") from None
    except OSError as error:
        raise Refused(f"{folder} cannot be made: {error.strerror}", "name another folder") from None
    except NotCopied as problem:
        broken = f"{at.home} could not be copied, and nothing is left in {folder}: {problem}"
        raise Failed(broken, "mend that, such as by making room, and try again") from None
    said = line(plain("Copied", "bold"), f": whoever has {folder} can open every key in it.")
    return Answer({"folder": str(folder), **manifest}, (said,))


def put_back(at: FleetAddress, folder: Folder) -> Answer:
    """Put a backup into this home, where none may be; its first start compares every lock."""
    from infra.local.backup import NotCopied, NotWhole, restore

    try:
        manifest = restore(folder, _unused(at.home))
    except NotWhole as problem:
        raise Failed(str(problem), "take an older backup") from None
    except NotCopied as problem:
        raise Failed(f"nothing was restored into {at.home}: {problem}", "mend that, and try again") from None
    except OSError as error:
        raise Refused(f"no home can be made at {at.home}: {error.strerror}", ELSEWHERE) from None
    told = line(plain("Restored", "bold"), f". Start it: keyfleet up{at.flags}; then: keyfleet finding list.")
    return Answer({"home": str(at.home), **manifest}, (told,))


def _unused(home: Path) -> Path:
    """Return where a home may be made, past all links: nothing is there, and nobody stands in it."""
    place = home.resolve()
    if place == Path.cwd():
        raise Refused(f"{home} is where you are, and would be replaced under you", ELSEWHERE)
    if place.exists() and not (place.is_dir() and not any(place.iterdir())):
        raise Refused(f"something is in {home}", ELSEWHERE)
    return place


backup.command("make")(at_a_place(make))
backup.command("restore")(at_a_place(put_back))
