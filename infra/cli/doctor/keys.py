"""The key files: readable for their owner alone, whole, and the ones the database needs."""

from pathlib import Path
from typing import TYPE_CHECKING

from infra.cli.address import FleetAddress
from infra.cli.doctor.finding import Finding, Verdict

if TYPE_CHECKING:
    from infra.local.keyring import Keyring

MASTER, KEYS = "master.key", ("identity.key", "master.key", "people.key")
OTHERS = 0o077


def check_keys(at: FleetAddress) -> Finding:
    """Are the keys there that the database needs, whole, and readable for their owner alone?"""
    try:
        files = [at.home / name for name in KEYS if (at.home / name).exists()]
        return _readable_by_others(files) or _unfit_master(at) or _well(files)
    except OSError as error:
        problem = f"cannot read {error.filename}: {error.strerror}"
        return _failed(problem, "run as the user who runs the fleet, or restore the file's backup")


def _well(files: list[Path]) -> Finding:
    if not files:
        return Finding("keys", Verdict.NOTE, "none yet: the first keyfleet up makes them")
    for file in files:
        file.open("rb").close()
    return Finding("keys", Verdict.OK, f"{_names(files)} for you alone")


def _readable_by_others(files: list[Path]) -> Finding | None:
    open_ones = [file for file in files if file.stat().st_mode & OTHERS and file.is_file()]
    if not open_ones:
        return None
    named = " ".join(map(str, open_ones))
    remedy = f"chmod 600 {named}, and rotate what others may have read"
    return _failed(f"{_names(open_ones)} can be read by others", remedy)


def _unfit_master(at: FleetAddress) -> Finding | None:
    from infra.local.key_notes import noted_in
    from infra.local.keyring import missing_from, needed_by

    needed, file = needed_by(at.home / "fleet.db"), at.home / MASTER
    if not file.exists():
        return _missing_master(at, needed=needed is not None) if (at.home / "fleet.db").exists() else None
    keyring = _keyring_of(file)
    if keyring is None:
        return _failed(f"{MASTER} is damaged", f"{_way_out(at)}, after moving it away")
    if needed not in {None, keyring.id}:
        return _failed(f"{MASTER} is not the one that sealed what the database holds", _way_out(at))
    if lacking := missing_from(keyring, noted_in(at.home / "fleet.db")):
        said = f"{MASTER} is older than the database: it lacks the keys of {', '.join(lacking)}"
        return _failed(said, _way_out(at))
    return None


def _missing_master(at: FleetAddress, *, needed: bool) -> Finding:
    if needed:
        return _failed(f"{MASTER} is missing, and the database holds what it sealed", _way_out(at))
    if at.is_open():
        remedy = "restore its backup; or if there is none, stop the fleet and start it, which makes another"
        return _failed(f"{MASTER} is missing, and the running fleet can seal nothing without it", remedy)
    remedy = "restore its backup; or if there is none, the next keyfleet up makes another"
    return Finding("keys", Verdict.WARNING, f"{MASTER} is missing, but nothing is known to need it", remedy)


def _keyring_of(file: Path) -> "Keyring | None":
    from infra.local.ambient import SystemEntropy
    from infra.local.keyfile import KeyFileRefused
    from infra.local.keyring import Keyring

    try:
        return Keyring(file, SystemEntropy())
    except KeyFileRefused:
        return None


def _way_out(at: FleetAddress) -> str:
    return (
        f"restore its backup into {at.home}; or accept with `keyfleet up --accept-loss{at.flags}` "
        "that what it sealed stays sealed for ever"
    )


def _failed(detail: str, remedy: str) -> Finding:
    return Finding("keys", Verdict.FAILED, detail, remedy)


def _names(files: list[Path]) -> str:
    return ", ".join(file.name for file in files)
