"""What the desk does for a clerk while the cloud is away: it makes, replaces and withdraws keys (A §9)."""

from dataclasses import dataclass

from edge_agent.agent.shown import reservation_of
from edge_agent.agent.wiring import DeskAgent
from edge_agent.console.desk_port import ClerkProblem, Done
from edge_agent.hardware.errors import HardwareError, LinkLost, LockNotHeard, NoAnswer
from edge_agent.issuing.desk import OfflineRefused
from edge_agent.issuing.makers import KeyMaker
from edge_agent.issuing.rules import OfflineWish, PapersInHand
from shared.domain.credential import KeyCredential
from shared.domain.ids import CredentialId, ReservationId, UserId
from shared.domain.kinds import KeyCredentialKind, RevokeReason
from shared.offline.arrivals import ArrivalsPack, ExpectedStay


@dataclass(frozen=True, slots=True)
class DeskAlone:
    """The desk by itself."""

    agent: DeskAgent

    async def stay(self, reservation: str) -> tuple[ExpectedStay, ArrivalsPack]:
        """Return a stay that is expected, among which; or raise ClerkProblem."""
        pack = (await self.agent.papers.standing()).pack
        stay = pack.stay(reservation) if pack else None
        if pack is None or stay is None:
            raise ClerkProblem("no_arrivals" if pack is None else "stay_unknown")
        return stay, pack

    async def keys_of(self, reservation: str) -> list[KeyCredential]:
        """Return the keys in use that this desk made for a stay."""
        keys = await self.agent.parts.ledger.run(lambda it: it.keys_in("active"))
        return [key for key in keys if reservation_of(key) == reservation]

    async def lost_of(self, reservation: str) -> CredentialId | None:
        """Return the key of a stay to be replaced: in use, or ended by a replacement that broke off."""
        for key in await self.keys_of(reservation):
            return key.id
        left = [work.key for work in await self.agent.offline.left()]
        return next((key.core.replaces for key in left if reservation_of(key) == reservation), None)

    async def made(
        self, user: str, reservation: str, once: str, replaces: CredentialId | None = None
    ) -> Done:
        """Make a stay's key; raise ClerkProblem."""
        stay, pack = await self.stay(reservation)
        standing = await self.agent.papers.standing()
        maker = self._maker(stay, pack)
        wish = OfflineWish(
            once=once,
            reservation=ReservationId(stay.reservation),
            rooms=stay.rooms,
            kind=maker.choice.kind,
            clerk=UserId(user),
            replaces=replaces,
        )
        try:
            key = await self._made(wish, standing, maker)
        except OfflineRefused as refusal:
            raise ClerkProblem(refusal.reason) from None
        except HardwareError as error:
            raise ClerkProblem(_problem(error, wish.kind)) from None
        return await self._told(key)

    async def withdrawn(self, reservation: str) -> bool:
        """Withdraw the keys that this desk made for a stay, as far as in reach; say if there were any."""
        keys, standing = await self.keys_of(reservation), await self.agent.papers.standing()
        if not keys or standing.certificate is None or standing.pack is None:
            return False
        for key in keys:
            kind = key.core.plan.current.kind
            maker = self.agent.maker_of(kind, standing.pack)
            await self.agent.offline.revoke(str(key.id), RevokeReason.CHECKOUT, standing.certificate, maker)
        return True

    async def _made(self, wish: OfflineWish, standing: PapersInHand, maker: KeyMaker) -> KeyCredential:
        for left in await self.agent.offline.left():
            if reservation_of(left.key) == wish.reservation and left.key.core.rooms == wish.rooms:
                return await self.agent.offline.take_up(left, wish, standing, maker)
        return await self.agent.offline.issue(wish, standing, maker)

    def _maker(self, stay: ExpectedStay, pack: ArrivalsPack) -> KeyMaker:
        """Return what makes the key of these rooms: their locks by radio where we can, else a card."""
        by_radio = self.agent.maker_of(KeyCredentialKind.PIN_CODE, pack)
        if by_radio is not None and pack.in_radio_reach(stay.rooms):
            return by_radio
        by_card = self.agent.maker_of(KeyCredentialKind.RFID_CARD, pack)
        if by_card is None:
            raise ClerkProblem("no_device")
        return by_card

    async def _told(self, key: KeyCredential) -> Done:
        pin = await self.agent.offline.pin(str(key.id))
        return Done("issued", reservation_of(key), key.core.window.end, alone=True, pin=pin)


def _problem(error: HardwareError, kind: KeyCredentialKind) -> str:
    """Return the clerk's word for what went wrong: a lock has no plug to be seated."""
    at_lock = kind is KeyCredentialKind.PIN_CODE and isinstance(error, LinkLost | NoAnswer)
    return LockNotHeard.kind if at_lock else error.kind
