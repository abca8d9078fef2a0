"""A desk that is alone: it makes, revokes and replaces guests' cards, and writes down what the cloud is to
hear.

1. The rules say whether the key may be made; a refusal is written down too. A room whose key is live gets
   no second one, which would shut the first out: its card is copied, or replaced when it is lost.
2. The key is written, pending, under the claim of its wish, before any card is touched.
3. The card that lies there is looked at: one that already does what is asked was made before a crash, and
   is adopted. Any other is written, with a number higher than every one before, so that a card left behind
   by an attempt that broke off is shut out by the door as soon as the good one is used.
4. The key, active, and its signed row are written in one commit. The clerk hears of success after that.

An attempt that breaks off leaves its claim begun. The same wish again takes it up at 3; `left` tells what
waits.
"""

import hashlib
from dataclasses import dataclass
from typing import Final, NoReturn

from nacl.signing import SigningKey

from edge_agent.hardware.cards.keycard import Desk, KeyCardPress
from edge_agent.hardware.cards.layout import CardRecord, door_digest, property_digest
from edge_agent.hardware.cards.reader import Card, CardReader
from edge_agent.hardware.encoders.encoder import Encoder
from edge_agent.hardware.errors import CardForeign, HardwareError
from edge_agent.issuing import facts
from edge_agent.issuing.rules import OfflineWish, Standing, refusal, window_of
from edge_agent.ledger.errors import UnknownWork
from edge_agent.ledger.ledger import LedgerThread, Work
from shared.domain.commands import Accept, Provision, Revoke
from shared.domain.core import CredentialCore, Guest
from shared.domain.credential import KeyCredential
from shared.domain.ids import ProvisionalKeyId, ulid_number
from shared.domain.kinds import GENERIC_WIEGAND, ClaimKey, Origin, RevokeReason, SetRole
from shared.domain.plan import Choice, IssuePlan
from shared.domain.secret import Secret
from shared.offline.certificate import OfflineCertificate
from shared.ports.ambient import Clock, Ids

NUMBER_BITS: Final = 64
ULID_BITS: Final = 128


class OfflineRefused(Exception):
    """The desk may not make this key by itself; `reason` says in a word why."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class DeskHands:
    """What a desk works with."""

    ledger: LedgerThread
    cards: Desk
    device: SigningKey
    clock: Clock
    ids: Ids


class OfflineDesk:
    """Keys by a desk that is alone."""

    def __init__(self, hands: DeskHands) -> None:
        self._hands = hands

    async def issue(self, wish: OfflineWish, standing: Standing, encoder: Encoder) -> KeyCredential:
        """Make the key that is wished for, once, and return it; raise OfflineRefused or a HardwareError."""
        certificate = await self._allowed(wish, standing)
        key = self._key(wish, standing, certificate)
        known = await self._hands.ledger.run(lambda it: it.known(key.core.claim))
        if known is None:
            await self._alone_in_its_rooms(key, wish, standing)
            known = await self._hands.ledger.run(lambda it: it.begin(key.core.claim, key, standing.now))
        if known is not None and known.step != "begun":
            return known.key
        return await self._encode(known.key if known else key, certificate, encoder)

    async def revoke(
        self, key_id: str, reason: RevokeReason, certificate: OfflineCertificate, encoder: Encoder | None
    ) -> KeyCredential:
        """Withdraw a key: at once in the ledger, and on its card if that lies on the encoder."""
        key = await self._hands.ledger.run(lambda it: it.key(key_id))
        if key is None:
            raise UnknownWork("this desk made no such key")
        ended, told = key.apply(Revoke(at=self._hands.clock.now(), reason=reason))
        if told:
            removed = encoder is not None and await self._erased(key, encoder)
            fact = facts.revoked(ended, reason, removed, certificate.serial, self._hands.device)
            await self._hands.ledger.run(lambda it: it.change(ended, key.version, fact))
        return ended

    async def left(self) -> list[Work]:
        """Return the keys whose making broke off: their wish is to be made again, or given up."""
        return await self._hands.ledger.run(lambda it: it.left())

    async def _allowed(self, wish: OfflineWish, standing: Standing) -> OfflineCertificate:
        reason = refusal(wish, standing)
        if reason is None and standing.certificate is not None:
            return standing.certificate
        return await self._refuse(reason or "no_certificate", wish, standing)

    async def _refuse(self, reason: str, wish: OfflineWish, standing: Standing) -> NoReturn:
        fact = facts.refused(reason, wish.reservation, wish.clerk, standing.now, self._hands.device)
        await self._hands.ledger.run(lambda it: it.tell(fact))
        raise OfflineRefused(reason)

    async def _alone_in_its_rooms(self, key: KeyCredential, wish: OfflineWish, standing: Standing) -> None:
        for other in await self._hands.ledger.run(lambda it: it.keys_in("active")):
            shares = set(other.core.rooms) & set(key.core.rooms)
            if shares and other.core.window.overlaps(key.core.window):
                await self._refuse("live_key", wish, standing)

    async def _encode(
        self, key: KeyCredential, certificate: OfflineCertificate, encoder: Encoder
    ) -> KeyCredential:
        card = await encoder.run(lambda reader: self._on_card(key, reader))
        active, _ = key.apply(Provision(at=self._hands.clock.now()))
        reference = Secret(card.uid.hex().upper())
        fact = facts.issued(active, reference, certificate.serial, self._hands.device)
        await self._hands.ledger.run(lambda it: it.finish(key.core.claim, active, fact))
        return active

    async def _on_card(self, key: KeyCredential, reader: CardReader) -> Card:
        press = KeyCardPress(reader, self._hands.cards)
        record = self._record(key, _number(self._hands.ids.ulid()))
        try:
            card, found = await press.read()
        except CardForeign:
            return await press.make(record)
        return card if _serves(found, record, _number(_body(key))) else await press.make(record)

    async def _erased(self, key: KeyCredential, encoder: Encoder) -> bool:
        """Erase the key's card if it lies there; another's is left alone."""
        record = self._record(key, 0)

        async def erase(reader: CardReader) -> bool:
            press = KeyCardPress(reader, self._hands.cards)
            _, found = await press.read()
            if not _serves(found, record, _number(_body(key))):
                return False
            await press.erase()
            return True

        try:
            return await encoder.run(erase)
        except HardwareError:
            return False

    def _key(self, wish: OfflineWish, standing: Standing, certificate: OfflineCertificate) -> KeyCredential:
        stay = standing.pack.stay(wish.reservation) if standing.pack else None
        if stay is None:
            raise OfflineRefused("stay_unknown")
        core = CredentialCore(
            id=ProvisionalKeyId.mint(self._hands.ids.ulid()),
            tenant=certificate.tenant,
            property_id=certificate.property_id,
            holder=Guest(stay.guest, stay.reservation),
            rooms=wish.rooms,
            window=window_of(wish, stay, standing),
            plan=IssuePlan((Choice(GENERIC_WIEGAND, wish.kind),)),
            claim=_claim(wish, certificate),
            role=SetRole.REPLACEMENT if wish.replaces else SetRole.FIRST,
            origin=Origin.DESK,
            replaces=wish.replaces,
        )
        key, _ = KeyCredential.request(core, at=standing.now, by=wish.clerk)
        return key.apply(Accept(at=standing.now, by=wish.clerk))[0]

    def _record(self, key: KeyCredential, number: int) -> CardRecord:
        core = key.core
        doors = tuple(door_digest(str(room)) for room in core.rooms)
        window = (core.window.start, core.window.end)
        return CardRecord(property_digest(str(core.property_id)), number, *window, doors)


def _claim(wish: OfflineWish, certificate: OfflineCertificate) -> ClaimKey:
    parts = (str(certificate.device), wish.reservation, wish.kind.value, wish.once, *wish.rooms)
    return ClaimKey("sha256:" + hashlib.sha256("\x00".join(parts).encode()).hexdigest())


def _body(key: KeyCredential) -> str:
    return str(key.core.id).rpartition("_")[2]


def _number(ulid: str) -> int:
    """Return a card's issue number, a ULID's time and the first of its chance: later ones are higher."""
    return ulid_number(ulid) >> ULID_BITS - NUMBER_BITS


def _serves(found: CardRecord, wanted: CardRecord, begun: int) -> bool:
    """Say whether a card already is this key: its doors and window, and made since the key was begun."""
    window = (wanted.property, wanted.doors, wanted.valid_from.replace(second=0, microsecond=0))
    return (found.property, found.doors, found.valid_from) == window and found.number >= begun
