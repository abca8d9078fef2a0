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
import hmac
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from shared.audit.entries import Entry
from shared.audit.subjects import KEY_SIZE, Subject
from shared.domain.ids import TenantId
from shared.domain.secret import Secret
from shared.ports.ambient import Entropy
from shared.ports.documents import AlreadyExists, Create, Document, Ref, TenantDocuments
from shared.ports.vault import Cipher, SealContext

PURPOSE: Final = "audit-subject"
KEYS, SUBJECTS = "guest_keys", "audit_subjects"
OF_NOBODY: Final = "nobody"
"""Whose key makes the salts of entries that are about no guest: the tenant's own."""
_NONCE_BYTES: Final = 24
MOST_KNOWN: Final = 4096


@dataclass(slots=True)
class GuestKeys:
    """The keys of one tenant's guests; those that were asked for lately are remembered."""

    tenant: TenantId
    documents: TenantDocuments
    sealed: TenantDocuments
    cipher: Cipher
    _known: dict[str, Subject] = field(default_factory=dict, repr=False)

    async def subject(self, guest: str | None, entropy: Entropy, review: datetime) -> Subject:
        """Return whom an entry is about; of a guest nobody heard of, a key is drawn."""
        name = guest or OF_NOBODY
        if name not in self._known:
            if len(self._known) >= MOST_KNOWN:
                self._known.clear()
            self._known[name] = await self._kept(guest) or await self._drawn(guest, entropy, review)
        return self._known[name]

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
        ref = _ref(guest)
        found = await self.sealed.get(ref)
        if found is None:
            return None
        key = await self.cipher.open(self._context(ref, "key"), _bytes(found.data["sealed"]))
        return Subject(key.reveal(), guest)

    async def _drawn(self, guest: str | None, entropy: Entropy, review: datetime) -> Subject:
        subject, ref = Subject(entropy.token(KEY_SIZE), guest), _ref(guest)
        if guest is not None:
            await self._note(subject, guest, review)
        sealed = await self.cipher.seal(self._context(ref, "key"), Secret(subject.key))
        try:
            await self.sealed.commit([Create(ref, {"schema_version": 1, "sealed": _text(sealed)})])
        except AlreadyExists:  # somebody else was first: theirs is the key
            return await self._kept(guest) or subject
        return subject

    async def _note(self, subject: Subject, guest: str, review: datetime) -> None:
        ref = Ref(SUBJECTS, subject.alias or "")
        sealed = await self.cipher.seal(self._context(ref, "guest"), Secret(guest.encode()))
        data: dict[str, Any] = {"schema_version": 1, "guest": _text(sealed), "holds": []}
        with contextlib.suppress(AlreadyExists):
            await self.documents.commit([Create(ref, {**data, "review": review.date().isoformat()})])

    def _context(self, ref: Ref, name: str) -> SealContext:
        return SealContext(PURPOSE, self.tenant, str(ref), name)


def close_body(entry: Entry, subject: Subject) -> bytes:
    """Seal a body for whom it is about: the same bytes whenever it is done, for its nonce comes of it."""
    from nacl.bindings import crypto_aead_xchacha20poly1305_ietf_encrypt as encrypt

    key = subject.body_key
    nonce = hmac.digest(key, entry.header + entry.body, "sha256")[:_NONCE_BYTES]
    return nonce + encrypt(entry.body, entry.header, nonce, key)


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
