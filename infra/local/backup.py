"""A home's backup, taken while its fleet runs, proven by its manifest, and put into a place of its own.

| file | copied | why so |
|---|---|---|
| `fleet.mark`, the keys | first | the mark says how far the database must reach: an older one asks for less |
| `fleet.db` | then, page by page, as of one commit | by SQLite's own backup, beside the writer |
| all of them | once more, where keys changed meanwhile | what such a key had sealed would never open |
| `fleet.seen` | never | written by the restore: what is restored is older than the locks, and compared |

What breaks off takes its folder with it: keys are in it.
"""

import hashlib
import os
import shutil
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final

import orjson

from infra.local.home_witness import HomeWitness
from infra.local.storage.connection import connect_to_look, connected_to_check
from shared.ledger.comparison import Occasion

DATABASE: Final = "fleet.db"
KEYS: Final = ("identity.key", "people.key", "master.key")
BESIDE: Final = ("fleet.mark", *KEYS)
FILES: Final = (*BESIDE, DATABASE)
MANIFEST: Final = "manifest.json"
PAGES: Final = 1024
MOST_COPIES: Final = 5
PRIVATE: Final = 0o700


class NotWhole(Exception):
    """A backup is not what was copied, or not all of it."""


class NotCopied(Exception):
    """A copy broke off; nothing of it is left."""


def back_up(home: Path, folder: Path) -> Mapping[str, Any]:
    """Copy a home into a folder that is not there yet; return the manifest."""
    with _whole_or_gone(folder):
        for name in FILES:
            _private(folder / name)
        if not any(_copied(home, folder) for _ in range(MOST_COPIES)):
            raise NotCopied("its keys changed each time that they were copied")
        manifest = {"files": {name: _digest(folder / name) for name in FILES}}
        _private(folder / MANIFEST).write_bytes(orjson.dumps(manifest, option=orjson.OPT_INDENT_2))
    return manifest


def _copied(home: Path, folder: Path) -> bool:
    """Copy every file; say whether the keys are still those that were copied."""
    for name in BESIDE:
        shutil.copyfile(home / name, folder / name)
    with (
        closing(connect_to_look(home / DATABASE)) as source,
        closing(sqlite3.connect(folder / DATABASE)) as copy,
    ):
        source.backup(copy, pages=PAGES)
    return all(_digest(home / name) == _digest(folder / name) for name in KEYS)


def proven(folder: Path) -> Mapping[str, Any]:
    """Return the manifest of a backup that is whole: every file's digest, and the database's own checks."""
    try:
        manifest: Mapping[str, Any] = orjson.loads((folder / MANIFEST).read_bytes())
        files = _all_named(manifest)
        changed = [name for name in FILES if _digest(folder / name) != files[name]]
        sound = _sound(folder / DATABASE) if not changed else ""
    except (OSError, ValueError):
        raise NotWhole(f"{folder} holds no backup, or lacks a file of it") from None
    if changed:
        raise NotWhole(f"{', '.join(changed)} is not what was copied")
    if sound != "ok":
        raise NotWhole(f"{DATABASE} is damaged: {sound}")
    return manifest


def restore(folder: Path, home: Path) -> Mapping[str, Any]:
    """Put a backup where no home is; the first fleet to start there compares every lock."""
    manifest = proven(folder)
    draft = home.with_name(f"{home.name}.restoring")
    shutil.rmtree(draft, ignore_errors=True)
    with _whole_or_gone(draft):
        for name in FILES:
            shutil.copyfile(folder / name, _private(draft / name))
        witness = HomeWitness(draft / DATABASE)
        witness.owe(Occasion.RESTORED)
        witness.closed()
        draft.rename(home)
    return manifest


def _all_named(manifest: Any) -> Mapping[str, Any]:
    """Return the digests of a manifest that names what a backup makes, and nothing else."""
    files = manifest.get("files") if isinstance(manifest, dict) else None
    if not isinstance(files, dict):
        raise NotWhole(f"{MANIFEST} is none of a backup: it has no files")
    if unnamed := [name for name in FILES if name not in files]:
        raise NotWhole(f"{MANIFEST} does not name {', '.join(unnamed)}")
    if strange := sorted(files.keys() - {*FILES}):
        raise NotWhole(f"{MANIFEST} names {', '.join(map(ascii, strange))}, which is in no backup")
    return files


def _sound(database: Path) -> str:
    try:
        with connected_to_check(database) as connection:
            ((sound,),) = connection.execute("PRAGMA integrity_check(1)").fetchall()
    except sqlite3.Error as error:
        return str(error)
    return str(sound)


@contextmanager
def _whole_or_gone(folder: Path) -> Iterator[None]:
    """Make a folder for what is copied into it, and remove it if that breaks off."""
    folder.mkdir(mode=PRIVATE, parents=True)
    try:
        yield
    except BaseException as error:
        shutil.rmtree(folder, ignore_errors=True)
        if isinstance(error, OSError):
            raise NotCopied(": ".join(map(str, filter(None, (error.strerror, error.filename))))) from error
        if isinstance(error, sqlite3.Error):
            raise NotCopied(str(error)) from error
        raise


def _private(path: Path) -> Path:
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    return path


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
