"""The life of keys after the first day: rotated, all they sealed sealed anew, and the old versions destroyed.

| what lies sealed | where | under |
|---|---|---|
| guests' secrets | documents of the database `sealed` | `guest-artifact-*` |
| vendors' references and tokens | the same | `vendor-ref-*` |
| vendors' accounts | the table of secrets | `secrets` |
| what messages say | the table of messages | `messages` |

A version is destroyed only when no row names it. For what is a guest's that happens by itself: a key of its
own each month, and those of two months ago destroyed, so that no older copy of the database opens.
"""

import base64
import binascii
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final

import orjson

from infra.local import key_notes
from infra.local.cipher import HEADER, MAGIC, LocalCipher, Stamp
from infra.local.delivery import payloads
from infra.local.delivery.instants import micros
from infra.local.documents.drawers import Chest
from infra.local.documents.writes import prepare_write
from infra.local.secrets import PURPOSE as SECRETS
from infra.local.storage.engine import Engine
from shared.domain.errors import InvalidInput
from shared.ports.documents import Ref, Update
from shared.ports.vault import SealBroken

MONTH: Final = timedelta(days=30)
OF_GUESTS: Final = ("guest-artifact-", "vendor-ref-")
WALKED: Final = (*OF_GUESTS, SECRETS, payloads.PURPOSE)
AT_ONCE: Final = 200
SEALED: Final = Chest("sealed", {})
_DOCUMENTS: Final = f"""SELECT tenant, id, unpacked(body), version, expires_at FROM {SEALED.shared.quoted}
WHERE (tenant, id) > (?, ?) ORDER BY tenant, id LIMIT ?"""  # noqa: S608 - a name of ours
_SECRETS: Final = "SELECT secret, version, sealed FROM secrets WHERE sealed IS NOT NULL"
_MESSAGES: Final = "SELECT id, payload, notes FROM bus_message WHERE id > ? ORDER BY id LIMIT ?"
_KEEP_ACCOUNT: Final = """UPDATE secrets SET sealed = ?3,
crc = checksum(?1 || '@' || ?2 || ':' || hex(?3)) WHERE secret = ?1 AND version = ?2 AND sealed = ?4"""
_KEEP_MESSAGE: Final = """UPDATE bus_message SET payload = ?2, crc = checksum(?2) + checksum(notes)
WHERE id = ?1 AND payload = ?3"""
FIELDS: Final = ("token", "key")
"""What a field that is stored as `sealed` was sealed as."""
Change = Callable[[sqlite3.Connection], object]


@dataclass(frozen=True, slots=True)
class SealedValue:
    """One sealed value: its key, how it opens, and how another is put in its place, if it is still there."""

    raw: bytes
    contexts: tuple[tuple[str, ...], ...]
    put: Callable[[bytes], Change]

    @property
    def key(self) -> tuple[bytes, int]:
        """Id and version of the key it names."""
        _, id_, version = HEADER.unpack_from(self.raw)
        return id_, version


class Rekeying:
    """Rotates, seals anew and retires, on one database and one key file."""

    def __init__(self, cipher: LocalCipher, engine: Engine, now: Callable[[], datetime]) -> None:
        self._cipher, self._engine, self._now = cipher, engine, now

    def versions(self) -> Mapping[str, Any]:
        """Return each purpose's newest version, and how many values name each that is not destroyed."""
        counts = Counter((purpose, version) for purpose, version, _ in self._values())
        keyring = self._cipher.keyring
        return {
            name: {
                "newest": newest,
                "sealed": {str(version): counts[name, version] for version in keyring.held(name)},
            }
            for name, newest in keyring.purposes.items()
        }

    def rotate(self, purpose: str) -> int:
        """Have a purpose's next value sealed with another key, and return its number."""
        self._known(purpose)
        return self._cipher.rotate(purpose)

    async def reseal(self, purpose: str) -> int:
        """Seal with the newest key whatever lies under an older one, and return how much that was."""
        newest, changed = self._known(purpose), 0
        stale = [each for name, version, each in self._values() if name == purpose and version < newest]
        for value in stale:
            changed += await self._again(purpose, value)
        return changed

    async def retire(self, purpose: str, before: int | None = None) -> list[int]:
        """Destroy versions before one, or before the newest, that no value names; return their numbers."""
        newest = self._known(purpose)
        if not self.walks(purpose):
            raise InvalidInput(
                "purpose", "not walked", f"Name one of {', '.join(WALKED)}: nothing else is sought"
            )
        named = {version for name, version, _ in self._values() if name == purpose}
        held = set(self._cipher.keyring.held(purpose))
        over = sorted(version for version in held - named if version < min(before or newest, newest))
        for version in over:
            # The note first: after a crash between the two, a file that still holds the key is accepted.
            await self._engine.write(partial(key_notes.note_retired, purpose, version))
            self._cipher.keyring.retire(purpose, version)
        return over

    async def renew_monthly(self) -> Mapping[str, list[int]]:
        """Give what is a guest's a key of its own each month, and destroy those of two months ago."""
        now = micros(self._now())
        if any(key.since == 0 for key in key_notes.noted(self._engine)):
            await self._engine.write(partial(key_notes.date, now))
        since: dict[str, dict[int, int]] = {}
        for key in key_notes.noted(self._engine):
            since.setdefault(key.purpose, {})[key.version] = key.since
        mine = {name: each for name, each in since.items() if name.startswith(OF_GUESTS)}
        return {name: gone for name, each in mine.items() if (gone := await self._renew(name, each, now))}

    async def _renew(self, purpose: str, since: Mapping[int, int], now: int) -> list[int]:
        month = int(MONTH.total_seconds() * 1_000_000)
        newest = max(since)
        if now - since[newest] >= month and self._cipher.keyring.purposes.get(purpose) == newest:
            self.rotate(purpose)
            await self._cipher.stamp(purpose)  # which notes since when it is there
        # A backup of the last month still opens; what was replaced longer ago is nobody's any more.
        old = [version for version in since if version > 1 and now - since[version] >= month]
        if not old:
            return []
        await self.reseal(purpose)
        return await self.retire(purpose, max(old))

    def walks(self, purpose: str) -> bool:
        """Return whether everything that is sealed for a purpose is found."""
        return purpose.startswith(WALKED)

    def _known(self, purpose: str) -> int:
        newest = self._cipher.keyring.purposes.get(purpose)
        if newest is None:
            known = ", ".join(self._cipher.keyring.purposes)
            raise InvalidInput("purpose", "no key of that purpose", f"Name one of {known}")
        return newest

    async def _again(self, purpose: str, value: SealedValue) -> int:
        stamp = await self._cipher.stamp(purpose)
        put = value.put(self._resealed(purpose, value, stamp))
        return int(bool(await self._engine.write(put)))

    def _resealed(self, purpose: str, value: SealedValue, stamp: Stamp) -> bytes:
        for context in value.contexts:
            parts = (purpose, *context)
            try:
                return stamp(parts, self._cipher.unseal(purpose, parts, value.raw))
            except SealBroken:
                continue
        raise SealBroken("a value that opens in no context of its record: it was moved or altered")

    def _values(self) -> Iterator[tuple[str, int, SealedValue]]:
        for value in (*self._of_documents(), *self._of_secrets(), *self._of_messages()):
            id_, version = value.key
            purpose = self._cipher.keyring.purpose_of(id_)
            if purpose is not None:
                yield purpose, version, value

    def _of_documents(self) -> Iterator[SealedValue]:
        after = ("", "")
        while rows := self._engine.read(_DOCUMENTS, (*after, AT_ONCE)):
            for tenant, id_, body, version, expires in rows:
                after = (tenant, id_)
                document = _Row(tenant, Ref(*id_.split("/")), orjson.loads(body), version, expires)
                yield from document.values(self._engine)

    def _of_secrets(self) -> Iterator[SealedValue]:
        for secret, version, sealed in self._engine.read(_SECRETS):
            put = partial(_put, _KEEP_ACCOUNT, (secret, version), bytes(sealed))
            yield SealedValue(bytes(sealed), ((secret, str(version)),), put)

    def _of_messages(self) -> Iterator[SealedValue]:
        after = 0
        while rows := self._engine.read(_MESSAGES, (after, AT_ONCE)):
            for id_, payload, _ in rows:
                after = id_
                fields = orjson.loads(payload)
                if (raw := _sealed_in(fields["data"])) is not None:
                    yield SealedValue(
                        raw, (payloads.CONTEXT[1:],), partial(_put_message, id_, bytes(payload))
                    )


@dataclass(frozen=True, slots=True)
class _Row:
    tenant: str
    ref: Ref
    body: Mapping[str, Any]
    version: int
    expires: int | None

    def values(self, engine: Engine) -> Iterator[SealedValue]:
        for name, value in self.body.items():
            if (raw := _sealed_in(value)) is not None:
                fields = FIELDS if name == "sealed" else (name,)
                contexts = tuple((self.tenant, str(self.ref), field) for field in fields)
                yield SealedValue(raw, contexts, partial(self._put, engine, name))

    def _put(self, engine: Engine, name: str, sealed: bytes) -> Change:
        def put(connection: sqlite3.Connection) -> int:
            # Read anew: of one document more than one field is sealed, and each is put by itself.
            drawer = SEALED.of(self.ref.collection)
            found = connection.execute(_ONE, (self.tenant, drawer.id_of(self.ref))).fetchone()
            if found is None or orjson.loads(found[0])[name] != self.body[name]:
                return 0
            body = {**orjson.loads(found[0]), name: base64.b64encode(sealed).decode()}
            write = prepare_write(Update(self.ref, body, str(found[1])), drawer, self.tenant)
            write._replace(read=(found[2],)).run(connection, engine.number(), 0)
            return 1

        return put


_ONE: Final = (
    f"SELECT unpacked(body), version, expires_at FROM {SEALED.shared.quoted} WHERE tenant = ? AND id = ?"  # noqa: S608 - a name of ours
)


def _put(sql: str, row: tuple[Any, ...], before: bytes, sealed: bytes) -> Change:
    return lambda connection: connection.execute(sql, (*row, sealed, before)).rowcount


def _put_message(id_: int, before: bytes, sealed: bytes) -> Change:
    payload = orjson.dumps({**orjson.loads(before), "data": base64.b64encode(sealed).decode()})
    return lambda connection: connection.execute(_KEEP_MESSAGE, (id_, payload, before)).rowcount


def _sealed_in(value: Any) -> bytes | None:
    if not isinstance(value, str):
        return None
    try:
        raw = base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError):
        return None
    return raw if raw.startswith(MAGIC) and len(raw) > HEADER.size else None
