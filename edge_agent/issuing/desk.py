"""A desk that is alone: it makes, revokes and replaces guests' keys, and writes down what the cloud is to
hear.

1. The rules say whether the key may be made; a refusal is written down too. A room whose key is live gets
   no second one, which would shut the first out: its card is copied, or replaced when it is lost.
2. The key is written, pending, with its PIN if it has one, under the claim of its wish, before anything is
   made.
3. The key is made. A card that already does what is asked was made before a crash, and is adopted. Any
   other is written, with a number higher than every one before, so that a card left behind by an attempt
   that broke off is shut out by the door as soon as the good one is used. A PIN that a lock has already is
   drawn anew, three times at most. A key that it takes the place of is withdrawn first: by then the new one
   may be made, and is written down, so that nobody loses a key and gets none.
4. The key, active, and its signed row are written in one commit. The clerk hears of success after that.

An attempt that breaks off leaves its claim begun. The same wish again takes it up at 3; `left` tells what
waits.
"""

import asyncio
import hashlib
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Final, NoReturn

from nacl.signing import SigningKey

from edge_agent.hardware.errors import PinTaken
from edge_agent.issuing import facts
from edge_agent.issuing.makers import KeyMaker
from edge_agent.issuing.rules import OfflineWish, PapersInHand, refusal, window_of
from edge_agent.ledger.errors import UnknownWork
from edge_agent.ledger.ledger import DeskLedger, LedgerDoor, Work
from shared.domain.commands import Accept, Fail, Provision, Revoke
from shared.domain.core import CredentialCore, Guest
from shared.domain.credential import KeyCredential
from shared.domain.ids import ProvisionalKeyId
from shared.domain.kinds import (
    ClaimKey,
    FailureReason,
    KeyCredentialKind,
    Origin,
    RevokeReason,
    SetRole,
)
from shared.domain.plan import IssuePlan
from shared.domain.secret import Secret
from shared.offline.certificate import OfflineCertificate
from shared.ports.ambient import Clock, Ids

KEPT_AFTER: Final = timedelta(days=7)
PINS: Final = 3
"""How many PINs are drawn for one key before it is given up for now (A §14)."""


class OfflineRefused(Exception):
    """The desk may not make this key by itself; `reason` says in a word why."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class DeskHands:
    """What a desk works with."""

    ledger: LedgerDoor
    device: SigningKey
    clock: Clock
    ids: Ids


class OfflineDesk:
    """Keys by a desk that is alone."""

    def __init__(self, hands: DeskHands) -> None:
        self._hands, self._ledger = hands, hands.ledger
        self._turn = asyncio.Lock()

    async def issue(self, wish: OfflineWish, standing: PapersInHand, maker: KeyMaker) -> KeyCredential:
        """Make the key that is wished for, once, and return it; raise OfflineRefused or a HardwareError."""
        # One at a time: two wishes for one room must see each other.
        async with self._turn:
            return await self._issue(wish, standing, maker)

    async def take_up(
        self, work: Work, wish: OfflineWish, standing: PapersInHand, maker: KeyMaker
    ) -> KeyCredential:
        """Go on with a key whose making broke off, as far as it may still be made."""
        async with self._turn:
            certificate = await self._allowed(wish, standing, maker)
            return await self._make(work.key, certificate, maker, again=True)

    async def give_up(self, claim: str, maker: KeyMaker | None) -> KeyCredential:
        """End a key whose making broke off; what may be made of it is taken away as far as it is in reach."""
        async with self._turn:
            work = await self._ledger.run(lambda it: it.known(claim))
            if work is None or work.step != "begun":
                raise UnknownWork("nothing of this wish is under way")
            if maker is not None:
                await maker.remove(work.key, await self.pin(str(work.key.id)))
            fail = Fail(at=self._hands.clock.now(), reason=FailureReason.KEY_ISSUE_FAILED)
            failed, _ = work.key.apply(fail)
            fact = facts.given_up(failed, self._hands.device)
            await self._ledger.run(lambda it: it.finish(claim, failed, fact))
            return failed

    async def _issue(self, wish: OfflineWish, standing: PapersInHand, maker: KeyMaker) -> KeyCredential:
        certificate = await self._allowed(wish, standing, maker)
        key, secret = self._key(wish, standing, certificate, maker), maker.secret()
        known = await self._ledger.run(lambda it: it.known(key.core.claim))
        if known is None:
            await self._alone_in_its_rooms(key, wish, standing)
            known = await self._ledger.run(lambda it: it.begin(key.core.claim, key, standing.now, secret))
        if known is not None and known.step != "begun":
            return known.key
        return await self._make(known.key if known else key, certificate, maker, again=known is not None)

    async def revoke(
        self, key_id: str, reason: RevokeReason, certificate: OfflineCertificate, maker: KeyMaker | None
    ) -> KeyCredential:
        """Withdraw a key: at once in the ledger, and where it was made as far as that is in reach."""
        async with self._turn:
            key = await self._known(key_id)
            if key is None:
                raise UnknownWork("this desk made no such key")
            return await self._withdrawn(key, reason, certificate, maker)

    async def pin(self, key_id: str) -> Secret[str] | None:
        """Return a key's PIN for the clerk's screen, until the cloud has the key."""
        return await self._ledger.run(lambda it: it.secret_of(key_id))

    async def left(self) -> list[Work]:
        """Return the keys whose making broke off: their wish is to be made again, or given up."""
        return await self._ledger.run(lambda it: it.left())

    async def tidy(self) -> None:
        """Give up what broke off and whose time is over, and forget what was over a week ago."""
        now = self._hands.clock.now()
        for work in await self.left():
            if work.key.core.window.end < now:
                await self.give_up(work.claim, None)
        await self._ledger.run(lambda it: it.forget(now - KEPT_AFTER))

    async def _allowed(
        self, wish: OfflineWish, standing: PapersInHand, maker: KeyMaker
    ) -> OfflineCertificate:
        reason = refusal(wish, standing)
        if reason is None and maker.choice.kind is not wish.kind:
            reason = "kind_not_here"
        if reason is None and not await maker.ready(wish.rooms):
            reason = "no_device"
        if reason is None and standing.certificate is not None:
            return standing.certificate
        return await self._refuse(reason or "no_certificate", wish, standing)

    async def _refuse(self, reason: str, wish: OfflineWish, standing: PapersInHand) -> NoReturn:
        fact = facts.refused(reason, wish.reservation, wish.clerk, standing.now, self._hands.device)
        await self._ledger.run(lambda it: it.tell(fact))
        raise OfflineRefused(reason)

    async def _alone_in_its_rooms(
        self, key: KeyCredential, wish: OfflineWish, standing: PapersInHand
    ) -> None:
        """Refuse a second key of a room: one that is live, or one that broke off and may yet be made."""
        for other in await self._ledger.run(lambda it: it.keys_in("active") + it.keys_in("pending")):
            shares = other.id != wish.replaces and set(other.core.rooms) & set(key.core.rooms)
            if shares and other.core.window.overlaps(key.core.window):
                await self._refuse("live_key", wish, standing)

    async def _make(
        self, key: KeyCredential, certificate: OfflineCertificate, maker: KeyMaker, *, again: bool
    ) -> KeyCredential:
        lost = await self._known(key.core.replaces) if key.core.replaces else None
        if lost is not None:
            # A lost card is not here to be erased; a PIN that somebody saw is at the door.
            at_door = maker if maker.choice.kind is KeyCredentialKind.PIN_CODE else None
            await self._withdrawn(lost, RevokeReason.LOST, certificate, at_door)
        reference = await self._made(key, maker, again=again)
        active, _ = key.apply(Provision(at=self._hands.clock.now()))
        fact = facts.issued(active, reference, certificate.serial, self._hands.device)
        await self._ledger.run(lambda it: it.finish(key.core.claim, active, fact))
        return active

    async def _known(self, key_id: str) -> KeyCredential | None:
        return await self._ledger.run(lambda it: it.key(key_id))

    async def _withdrawn(
        self,
        key: KeyCredential,
        reason: RevokeReason,
        certificate: OfflineCertificate,
        maker: KeyMaker | None,
    ) -> KeyCredential:
        ended, told = key.apply(Revoke(at=self._hands.clock.now(), reason=reason))
        if told:
            secret = await self.pin(str(key.id))
            removed = maker is not None and await maker.remove(key, secret)
            fact = facts.revoked(ended, reason, removed, certificate.serial, self._hands.device)
            await self._ledger.run(lambda it: it.change(ended, key.version, fact))
        return ended

    async def _made(self, key: KeyCredential, maker: KeyMaker, *, again: bool) -> Secret[str]:
        secret = await self.pin(str(key.id))
        for _ in range(PINS - 1):
            try:
                return await maker.make(key, secret, again=again)
            except PinTaken:
                secret, again = maker.secret(), False
                await self._ledger.run(partial(DeskLedger.keep_secret, key_id=str(key.id), secret=secret))
        return await maker.make(key, secret, again=again)

    def _key(
        self, wish: OfflineWish, standing: PapersInHand, certificate: OfflineCertificate, maker: KeyMaker
    ) -> KeyCredential:
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
            plan=IssuePlan((maker.choice,)),
            claim=_claim(wish, certificate),
            role=SetRole.REPLACEMENT if wish.replaces else SetRole.FIRST,
            origin=Origin.DESK,
            replaces=wish.replaces,
        )
        key, _ = KeyCredential.request(core, at=standing.now, by=wish.clerk)
        return key.apply(Accept(at=standing.now, by=wish.clerk))[0]


def _claim(wish: OfflineWish, certificate: OfflineCertificate) -> ClaimKey:
    parts = (str(certificate.device), wish.reservation, wish.kind.value, wish.once, *wish.rooms)
    return ClaimKey("sha256:" + hashlib.sha256("\x00".join(parts).encode()).hexdigest())
