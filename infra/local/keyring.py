"""The key file: one key per purpose, in versions that only grow, and tied to the database that needs it."""

import fcntl
import hashlib
import os
import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import orjson

from infra.local import key_notes
from infra.local.key_notes import NotedKey, noted
from infra.local.keyfile import KeyFileRefused, read_or_create, replace_private
from infra.local.storage.connection import connect_to_look
from infra.local.storage.engine import Engine
from infra.local.storage.presence import identity_of
from shared.domain.errors import InvalidInput
from shared.domain.secret import Secret
from shared.ports.ambient import Entropy

SCHEMA = key_notes.SCHEMA
KEY_BYTES, ID_BYTES = 32, 8
LOCK_FLAGS = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
_PURPOSE = re.compile(r"[a-z][a-z0-9-]{1,62}")
_ACCEPT = (
    "Restore its backup, or accept with `keyfleet up --accept-loss` that what it sealed stays sealed for ever"
)


@dataclass(frozen=True, slots=True)
class Key:
    """One version of a purpose's key; its material is redacted wherever it is printed."""

    id: bytes
    version: int
    material: Secret[bytes]


@dataclass(frozen=True, slots=True)
class _Purpose:
    id: bytes
    versions: tuple[Secret[bytes] | None, ...]
    """None where a version is destroyed, or was given in a file that is lost: no number is given twice."""
    keys: tuple[Key | None, ...] = field(init=False, compare=False)
    """The same, as they are used: some ten times for each key of a guest."""

    def __post_init__(self) -> None:
        keys = (each and Key(self.id, number, each) for number, each in enumerate(self.versions, 1))
        object.__setattr__(self, "keys", tuple(keys))

    def key(self, version: int) -> Key | None:
        return self.keys[version - 1] if 1 <= version <= len(self.keys) else None


@dataclass(frozen=True, slots=True)
class _Content:
    ring: str
    purposes: Mapping[str, _Purpose]


class Keyring:
    """The keys of one key file. New keys are on the disk before anything is sealed with them."""

    def __init__(self, path: Path, entropy: Entropy) -> None:
        self._path, self._entropy = path, entropy
        self._content = _read(path, lambda: _encoded(_Content(entropy.token(16).hex(), {})))
        self._identity = identity_of(path)

    def is_there(self) -> bool:
        """Return whether the file is the one last read, or another that holds the same keys."""
        identity = identity_of(self._path)
        if identity == self._identity:
            return True
        try:
            found = _read(self._path, _never)
        except (KeyFileRefused, OSError):
            return False
        if found.ring != self._content.ring or not _holds(found, self._content):
            return False
        self._identity, self._content = identity, found
        return True

    @property
    def id(self) -> str:
        """Which key file this is."""
        return self._content.ring

    def newest(self, purpose: str) -> Key:
        """Return the key to seal with, making the purpose's first one."""
        if purpose not in self._content.purposes:
            self._change(purpose, only_first=True)
        found = self._content.purposes[purpose]
        key = found.key(len(found.versions))
        assert key is not None  # noqa: S101 - the newest is never destroyed
        return key

    def find(self, purpose: str, id_: bytes, version: int) -> Key | None:
        """Return the key that something was sealed with, also one that another process has added since."""
        return self._find(purpose, id_, version) or (
            self._find(purpose, id_, version) if self._reread() else None
        )

    def rotate(self, purpose: str) -> int:
        """Add a version for what is sealed from now on, and return its number; older ones still open."""
        self._change(purpose, only_first=False)
        return len(self._content.purposes[purpose].versions)

    def retire(self, purpose: str, version: int) -> None:
        """Destroy a version that nothing is sealed with any more; the newest stays."""
        with _alone(self._path):
            self._reread()
            known = self._content.purposes[purpose]
            if not 1 <= version < len(known.versions):
                raise InvalidInput("version", "not an older one", "Rotate the key first")
            left = (*known.versions[: version - 1], None, *known.versions[version:])
            self._keep(purpose, replace(known, versions=left))

    def held(self, purpose: str) -> tuple[int, ...]:
        """Return the versions of a purpose that are not destroyed."""
        known = self._content.purposes.get(purpose)
        versions = () if known is None else known.versions
        return tuple(number for number, key in enumerate(versions, 1) if key is not None)

    def keys(self, purpose: str) -> tuple[Key, ...]:
        """Return a purpose's keys that are not destroyed, the newest first."""
        return tuple([key for key in reversed(self._content.purposes[purpose].keys) if key is not None])

    def lacks(self, key: NotedKey) -> bool:
        """Return whether a key that sealed something is not in this file."""
        return not key.retired and self._find(key.purpose, key.id, key.version) is None

    def purpose_of(self, id_: bytes) -> str | None:
        """Return what a key is for, by its id."""
        return next((name for name, each in self._content.purposes.items() if each.id == id_), None)

    @property
    def purposes(self) -> Mapping[str, int]:
        """The newest version of each purpose."""
        return {name: len(each.versions) for name, each in sorted(self._content.purposes.items())}

    def outgrow(self, purpose: str, version: int) -> None:
        """Have the next version follow one that was given by a file that is lost."""
        with _alone(self._path):
            self._reread()
            known = self._content.purposes.get(purpose)
            if known is not None and len(known.versions) < version:
                gap = (None,) * (version - len(known.versions))
                self._keep(purpose, self._grown(replace(known, versions=(*known.versions, *gap))))

    def _keep(self, purpose: str, changed: _Purpose) -> None:
        content = _Content(self.id, {**self._content.purposes, purpose: changed})
        replace_private(self._path, Secret(_encoded(content)))
        self._content, self._identity = content, identity_of(self._path)

    def _find(self, purpose: str, id_: bytes, version: int) -> Key | None:
        found = self._content.purposes.get(purpose)
        return found.key(version) if found is not None and found.id == id_ else None

    def _reread(self) -> bool:
        before, self._content = self._content, _read(self._path, _never)
        return before != self._content

    def _change(self, purpose: str, *, only_first: bool) -> None:
        if not _PURPOSE.fullmatch(purpose):
            raise InvalidInput("purpose", "malformed", "Use 2 to 63 of a-z, 0-9 and '-', a letter first")
        with _alone(self._path):
            self._reread()
            known = self._content.purposes.get(purpose)
            if known is None or not only_first:
                self._keep(purpose, self._grown(known))

    def _grown(self, known: _Purpose | None) -> _Purpose:
        fresh = Secret(self._entropy.token(KEY_BYTES))
        if known is None:
            return _Purpose(self._entropy.token(ID_BYTES), (fresh,))
        return _Purpose(known.id, (*known.versions, fresh))


def open_keyring(path: Path, entropy: Entropy, engine: Engine, *, accept_loss: bool = False) -> Keyring:
    """Open the key file that belongs to the database; make one only if the database never needed any."""
    tied = None if accept_loss else tied_to(engine)
    if tied is not None and not path.exists():
        raise KeyFileRefused(f"{path.name} is missing, and the database holds what it sealed. {_ACCEPT}")
    keyring = Keyring(path, entropy)
    if tied not in {None, keyring.id}:
        raise KeyFileRefused(f"{path.name} is not the one that sealed what the database holds. {_ACCEPT}")
    if lacking := [] if accept_loss else missing_from(keyring, noted(engine)):
        raise KeyFileRefused(
            f"{path.name} is older than the database: it lacks the keys of {', '.join(lacking)}. {_ACCEPT}"
        )
    return keyring


def missing_from(keyring: Keyring, keys: Iterable[NotedKey]) -> list[str]:
    """Return the purposes of which a file lacks a key that sealed what the database holds."""
    return sorted({key.purpose for key in keys if keyring.lacks(key)})


async def accept_lost_keys(keyring: Keyring, engine: Engine) -> None:
    """Go on with a file that lacks keys, as somebody accepted; the numbers they had are not given again."""
    keys = noted(engine)
    for key in keys:
        keyring.outgrow(key.purpose, key.version)
    lost = tuple(key for key in keys if keyring.lacks(key))
    if lost:
        await engine.write(partial(key_notes.forget_lost, lost))


def tied_to(engine: Engine) -> str | None:
    """Return which key file sealed what the database holds, if any did."""
    return next((ring for (ring,) in engine.read("SELECT ring FROM keyring")), None)


def needed_by(database: Path) -> str | None:
    """Return which key file a database that is not open needs; None where that cannot be told."""
    if not database.exists():
        return None
    try:
        with closing(connect_to_look(database)) as connection:
            return next((str(ring) for (ring,) in connection.execute("SELECT ring FROM keyring")), None)
    except sqlite3.Error:
        return None  # never sealed anything, or is damaged: the database's own check tells


def _read(path: Path, make: Callable[[], bytes]) -> _Content:
    content = _decoded(Secret(read_or_create(path, make)))
    if content is None:
        raise KeyFileRefused(f"{path.name} is damaged. {_ACCEPT}, after moving it away")
    return content


def _holds(found: _Content, known: _Content) -> bool:
    return all(
        name in found.purposes
        and found.purposes[name].id == purpose.id
        and len(found.purposes[name].versions) >= len(purpose.versions)
        for name, purpose in known.purposes.items()
    )


def _never() -> bytes:
    raise KeyFileRefused(f"the key file has gone while the fleet runs. {_ACCEPT}")


def _encoded(content: _Content) -> bytes:
    purposes = {
        name: {"id": purpose.id.hex(), "versions": [key and key.reveal().hex() for key in purpose.versions]}
        for name, purpose in content.purposes.items()
    }
    body = orjson.dumps({"ring": content.ring, "purposes": purposes}, option=orjson.OPT_SORT_KEYS)
    return body + b"\n" + _digest(body) + b"\n"


def _decoded(raw: Secret[bytes]) -> _Content | None:
    # No error is raised from here: what is at hand in this frame are keys.
    body, _, digest = raw.reveal().removesuffix(b"\n").rpartition(b"\n")
    if digest != _digest(body):
        return None
    found = orjson.loads(body)
    return _Content(found["ring"], {name: _purpose(each) for name, each in found["purposes"].items()})


def _purpose(found: Mapping[str, Any]) -> _Purpose:
    versions = tuple(key and Secret(bytes.fromhex(key)) for key in found["versions"])
    return _Purpose(bytes.fromhex(found["id"]), versions)


def _digest(body: bytes) -> bytes:
    return hashlib.blake2b(body, digest_size=16, person=b"keyfleet-keys").hexdigest().encode()


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    descriptor = os.open(path.with_name(path.name + ".lock"), LOCK_FLAGS, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
