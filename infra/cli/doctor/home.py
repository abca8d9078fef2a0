"""What lies in the fleet's home: who may read it, and whether the database is whole."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryFile

from infra.cli.address import FleetAddress
from infra.cli.answer import counted
from infra.cli.doctor.finding import Finding, Verdict
from infra.cli.doctor.machine import nearest_folder
from infra.cli.losses import losses_file
from infra.cli.problems import parted
from infra.cli.up import damaged

OTHERS = 0o077
OWNED = "run as the user who runs the fleet"
ROOM = "see to the disk, its quota and the fleet's limits (ulimit -f), then keyfleet doctor --probe"


def check_home(at: FleetAddress) -> Finding:
    """May the fleet write here, and nobody else look?"""
    home, there = at.home, at.home.exists()
    if not _may_write(home if there else nearest_folder(home)):
        remedy = "name a folder of yours with --home or KEYFLEET_HOME"
        return Finding("home", Verdict.FAILED, f"{home} is no folder you may write to", remedy)
    if not there:
        return Finding("home", Verdict.NOTE, f"{home} is not there yet: the first keyfleet up makes it")
    if home.stat().st_mode & OTHERS:
        return Finding("home", Verdict.WARNING, f"{home} is open to others", f"chmod 700 {home}")
    return Finding("home", Verdict.OK, f"{home} is yours alone")


def _may_write(folder: Path) -> bool:
    # Tried and not asked for: permissions know nothing of a disk that is mounted read-only.
    try:
        TemporaryFile(dir=folder).close()
    except OSError:
        return False
    return True


def check_database(at: FleetAddress, *, running: bool, refusing: str | None = None) -> Finding:
    """Is every row whole, is everything there that was acknowledged, and can nobody else read it?"""
    if refusing is not None:
        said = f"{refusing} was removed or replaced under the running fleet, which takes nothing more"
        return Finding("database", Verdict.FAILED, said, "as infra/runbooks/lock/files-gone.md says")
    try:
        # Looked at first: opening it may close it to others, and hide that it was not.
        exposed = _open_to_others(at)
        found = _state(at, running=running)
    except PermissionError as error:
        return Finding("database", Verdict.FAILED, f"cannot look into {at.home}: {error.strerror}", OWNED)
    return exposed if exposed is not None and found.verdict is not Verdict.FAILED else found


def check_room(refusal: str | None) -> Iterator[Finding]:
    """Does the running fleet get to keep anything? Its last commit says, whatever the disk says of itself."""
    if refusal is not None:
        yield Finding("commits", Verdict.FAILED, f"the last one was refused: {refusal}", ROOM)


def _open_to_others(at: FleetAddress) -> Finding | None:
    files = [file for file in sorted(at.home.glob("fleet.db*")) if file.stat().st_mode & OTHERS]
    if not files:
        return None
    named = ", ".join(file.name for file in files)
    remedy = f"chmod 600 {' '.join(map(str, files))}"
    return Finding("database", Verdict.FAILED, f"{named} can be read by others", remedy)


def _state(at: FleetAddress, *, running: bool) -> Finding:
    if running:
        return Finding(
            "database", Verdict.OK, "open in the running fleet, which looked through it at its start"
        )
    if not at.has_database():
        return Finding("database", Verdict.NOTE, "none yet: the first keyfleet up makes it")
    return _looked_through(at, at.home / "fleet.db")


def _looked_through(at: FleetAddress, file: Path) -> Finding:
    from infra.local.ambient import SystemEntropy
    from infra.local.home_witness import HomeWitness
    from infra.local.storage.database import Damaged, InUse, Newer, open_database

    witness = HomeWitness(file)
    try:
        database = open_database(file, (), SystemEntropy().token)
    except InUse:
        remedy = "name that fleet's port with --port or KEYFLEET_PORT"
        return Finding(
            "database", Verdict.WARNING, f"a fleet that does not answer here has {file} open", remedy
        )
    except Damaged as damage:
        return Finding("database", Verdict.FAILED, damage.finding, damaged(at, damage.finding).remedy)
    except Newer as newer:
        return Finding("database", Verdict.FAILED, *parted(str(newer)))
    except OSError as error:
        return Finding(
            "database", Verdict.FAILED, f"cannot open {file}: {error.strerror}", f"chown {file} to you"
        )
    commits = database.commit
    database.close()
    # To look through it touches it, and it is no copy for that.
    witness.closed()
    return Finding("database", Verdict.OK, f"whole, with all {commits} group commits that were acknowledged")


def check_losses(at: FleetAddress) -> Finding:
    """Was any loss accepted that nobody has dealt with yet?"""
    notes = losses_file(at.home)
    try:
        accepted = notes.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return Finding("losses", Verdict.OK, "none was accepted")
    except OSError as error:
        return Finding("losses", Verdict.WARNING, f"cannot read {notes}: {error.strerror}")
    remedy = f"see to what keyfleet finding list{at.flags} shows, then delete {notes}"
    return Finding("losses", Verdict.WARNING, f"accepted {counted(len(accepted), 'time')}", remedy)
