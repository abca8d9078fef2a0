"""Whom entries are about: a key for each guest, drawn when the log first hears of them, destroyed at the end.

| document | says | kept in |
|---|---|---|
| `guest_keys/<guest>` | the key, sealed | the sealed database |
| `audit_subjects/<alias>` | the guest, sealed; when their time may be over; who holds it | the main one |

The second comes first: an alias whose key was never kept leads to nobody, and a key without an alias would be
forgotten by nobody.
"""

import base64
import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from typing import Final

from shared.audit.entries import Entry
from shared.audit.subjects import KEY_SIZE, Subject
from shared.domain.ids import TenantId
from shared.domain.secret import Secret
from shared.ledger.reading import all_of
from shared.ports.ambient import Entropy
from shared.ports.document_limits import MOST_WRITES
from shared.ports.documents import AlreadyExists, Create, Document, Ref, TenantDocuments
from shared.ports.vault import Cipher, SealContext
from shared.usecases.audit.log_files import gathered

PURPOSE: Final = "audit-subject"
KEYS, SUBJECTS = "guest_keys", "audit_subjects"
OF_NOBODY: Final = "nobody"
"""Whose key makes the salts of entries that are about no guest: the tenant's own."""
_NONCE_BYTES, _TAG_BYTES = 24, 16
MOST_KNOWN: Final = 4096


@dataclass(slots=True)
class GuestKeys:
    """The keys of one tenant's guests; those that were asked for lately are remembered."""

    tenant: TenantId
    documents: TenantDocuments
    sealed: TenantDocuments
    cipher: Cipher
    _known: dict[str | None, Subject] = field(default_factory=dict, repr=False)

    async def subjects(
        self, guests: Sequence[str | None], entropy: Entropy, review: datetime
    ) -> list[Subject]:
        """Return whom entries are about; of guests nobody heard of, keys are drawn."""
        here = {guest: self._known[guest] for guest in guests if guest in self._known}
        unknown = [guest for guest in guests if guest not in here]
        kept = zip(unknown, await all_of(self.sealed, [_ref(each) for each in unknown]), strict=True)
        found = {guest: await self._opened(guest, key) for guest, key in kept if key is not None}
        found |= await self._drawn([each for each in unknown if each not in found], entropy, review)
        if len(self._known) + len(found) > MOST_KNOWN:
            self._known.clear()
        self._known |= found
        here |= found
        return [here[guest] for guest in guests]

    async def of(self, guest: str) -> Subject | None:
        """Return a guest as the log knows them, or None: it never did, or has forgotten them."""
        return await self._kept(guest)

    async def behind(self, alias: str | None) -> Subject | None:
        """Return whom an alias stands for, or None once they were forgotten."""
        if alias is None:
            return await self._kept(None)
        found = await self.documents.get(Ref(SUBJECTS, alias))
        return None if found is None else await self._kept(await self.guest_of(found))

    async def guest_of(self, found: Document) -> str:
        """Return the guest whom a document of an alias names."""
        opened = await self.cipher.open(self._context(found.ref, "guest"), _bytes(found.data["guest"]))
        return opened.reveal().decode()

    async def _kept(self, guest: str | None) -> Subject | None:
        found = await self.sealed.get(_ref(guest))
        return None if found is None else await self._opened(guest, found)

    async def _opened(self, guest: str | None, found: Document) -> Subject:
        key = await self.cipher.open(self._context(found.ref, "key"), _bytes(found.data["sealed"]))
        return Subject(key.reveal(), guest)

    async def _drawn(
        self, guests: Sequence[str | None], entropy: Entropy, review: datetime
    ) -> dict[str | None, Subject]:
        drawn = {guest: Subject(entropy.token(KEY_SIZE), guest) for guest in guests}
        named = [subject for subject in drawn.values() if subject.guest_id is not None]
        # One after the other: a cipher asks for a purpose's key once, and the rest waits for nobody.
        await _created(self.documents, [await self._alias(each, review) for each in named])
        if await _created(self.sealed, [await self._key(each) for each in drawn.values()]):
            return drawn
        # Somebody else was first with some: theirs are the keys.
        kept = await gathered([self._kept(guest) for guest in drawn])
        return {guest: found or drawn[guest] for guest, found in zip(drawn, kept, strict=True)}

    async def _alias(self, subject: Subject, review: datetime) -> Create:
        ref, guest = Ref(SUBJECTS, subject.alias or ""), Secret((subject.guest_id or "").encode())
        sealed = await self.cipher.seal(self._context(ref, "guest"), guest)
        day = review.date().isoformat()
        return Create(ref, {"schema_version": 1, "guest": _text(sealed), "holds": [], "review": day})

    async def _key(self, subject: Subject) -> Create:
        ref = _ref(subject.guest_id)
        sealed = await self.cipher.seal(self._context(ref, "key"), Secret(subject.key))
        return Create(ref, {"schema_version": 1, "sealed": _text(sealed)})

    def _context(self, ref: Ref, name: str) -> SealContext:
        return SealContext(PURPOSE, self.tenant, str(ref), name)


async def _created(store: TenantDocuments, documents: Sequence[Create]) -> bool:
    """Create documents, as many to a commit as it holds; say whether none of them was there."""
    new = True
    for at in range(0, len(documents), MOST_WRITES):
        part = documents[at : at + MOST_WRITES]
        try:
            await store.commit(part)
        except AlreadyExists:
            new = False
            for each in part:
                with contextlib.suppress(AlreadyExists):
                    await store.commit([each])
    return new


def close_body(entry: Entry, subject: Subject) -> bytes:
    """Seal a body for whom it is about: the same bytes whenever it is done, for its nonce comes of it."""
    nonce = subject.body_digest(entry.header + entry.body)[:_NONCE_BYTES]
    return nonce + _sealing()(entry.body, entry.header, nonce, subject.body_key)


Seal = Callable[[bytes, bytes, bytes, bytes], bytes]


@cache
def _sealing() -> Seal:
    """Load what seals, not before the first body: libsodium itself, for a million bodies (decision 0252).

    Its binding writes four messages for errors that are not there, which costs as much as the sealing does.
    """
    from nacl._sodium import ffi, lib  # type: ignore[import-not-found]  # compiled, without types

    new, view, none = ffi.new, ffi.buffer, ffi.NULL
    encrypt = lib.crypto_aead_xchacha20poly1305_ietf_encrypt

    def seal(body: bytes, header: bytes, nonce: bytes, key: bytes) -> bytes:
        if len(nonce) != _NONCE_BYTES or len(key) != KEY_SIZE:
            raise ValueError("a nonce has 24 bytes, and a key 32")
        size = len(body) + _TAG_BYTES
        room = new("unsigned char[]", size)
        if encrypt(room, none, body, len(body), header, len(header), none, nonce, key):
            raise ValueError("libsodium did not seal a body")
        return bytes(view(room, size))

    return seal


def open_body(header: bytes, sealed: bytes, subject: Subject) -> bytes | None:
    """Return a body that was sealed for somebody, or None where it was not."""
    from nacl.bindings import crypto_aead_xchacha20poly1305_ietf_decrypt as decrypt
    from nacl.exceptions import CryptoError

    nonce, ciphertext = sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:]
    with contextlib.suppress(CryptoError, ValueError):
        return decrypt(ciphertext, header, nonce, subject.body_key)
    return None


def _ref(guest: str | None) -> Ref:
    return Ref(KEYS, guest or OF_NOBODY)


def _text(sealed: bytes) -> str:
    return base64.b64encode(sealed).decode()


def _bytes(text: str) -> bytes:
    return base64.b64decode(text)
