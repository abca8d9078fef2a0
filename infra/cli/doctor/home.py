"""What lies in the fleet's home: who may read it, and whether the database is whole."""

import os
from pathlib import Path

from infra.cli.doctor.finding import Finding, Verdict
from infra.cli.place import Place
from infra.cli.up import damaged

KEYS = ("identity.key", "master.key")
OTHERS = 0o077


def check_home(at: Place) -> Finding:
    """May the fleet write here, and nobody else look?"""
    home = at.home
    if not home.exists():
        return Finding("home", Verdict.NOTE, f"{home} is not there yet: the first keyfleet up makes it")
    if not home.is_dir() or not os.access(home, os.W_OK | os.X_OK):
        remedy = "name a folder of yours with --home or KEYFLEET_HOME"
        return Finding("home", Verdict.FAILED, f"{home} is no folder you may write to", remedy)
    if home.stat().st_mode & OTHERS:
        return Finding("home", Verdict.WARNING, f"{home} is open to others", f"chmod 700 {home}")
    return Finding("home", Verdict.OK, f"{home} is yours alone")


def check_keys(at: Place) -> Finding:
    """Are the keys readable for their owner alone?"""
    files = [at.home / name for name in KEYS if (at.home / name).exists()]
    if not files:
        return Finding("keys", Verdict.NOTE, "none yet: the first keyfleet up makes them")
    open_ones = [file for file in files if file.stat().st_mode & OTHERS]
    if open_ones:
        names = " ".join(map(str, open_ones))
        remedy = f"chmod 600 {names}, and rotate what others may have read"
        return Finding("keys", Verdict.FAILED, f"{_names(open_ones)} can be read by others", remedy)
    return Finding("keys", Verdict.OK, f"{_names(files)} for you alone")


def check_database(at: Place, *, running: bool) -> Finding:
    """Is every row whole, and is everything there that was acknowledged?"""
    file = at.home / "fleet.db"
    if running:
        return Finding(
            "database", Verdict.OK, "open in the running fleet, which looked through it at its start"
        )
    if not file.exists() and not file.with_suffix(".mark").exists():
        return Finding("database", Verdict.NOTE, "none yet: the first keyfleet up makes it")
    return _looked_through(at, file)


def _looked_through(at: Place, file: Path) -> Finding:
    from infra.local.ambient import SystemEntropy
    from infra.local.storage.database import Damaged, InUse, open_database

    try:
        database = open_database(file, (), SystemEntropy().token)
    except InUse:
        remedy = "name that fleet's port with --port or KEYFLEET_PORT"
        return Finding(
            "database", Verdict.WARNING, f"a fleet that does not answer here has {file} open", remedy
        )
    except Damaged as damage:
        return Finding("database", Verdict.FAILED, damage.finding, damaged(at, damage.finding).remedy)
    except OSError as error:
        return Finding(
            "database", Verdict.FAILED, f"cannot open {file}: {error.strerror}", f"chown {file} to you"
        )
    commits = database.commit
    database.close()
    return Finding("database", Verdict.OK, f"whole, with all {commits} group commits that were acknowledged")


def _names(files: list[Path]) -> str:
    return ", ".join(file.name for file in files)
