"""One step of the ladder: look at a notice, and do what is next until there is something to wait for.

1. A notice whose event is true no more (a rest that is over, a stay that is) is told to nobody; nor is that a
   key rests, or has ended, of which its guest never heard. That a key is there waits while it rests.
2. Time is heeded, and the ladder says what is next.
3. A way is claimed, saved by compare-and-set, before its provider is called: of two deliveries of one event,
   and of a step that is repeated, one calls. Who dies in the call leaves a claim that ends after two minutes.
4. What the provider said is saved on that way alone, whatever was heard of the others meanwhile.
5. Nobody reached on any way: somebody at the desk is called, but not for a guest who has checked out.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final, Self

from shared.domain.errors import InvalidInput
from shared.domain.ids import TenantId
from shared.domain.kinds import RevokeReason
from shared.domain.secret import Secret
from shared.domain.states import Active, Revoked, Suspended
from shared.keywork.services import retry_on_conflict
from shared.ledger.guest_devices import SUPPRESSED_FOR, GuestDevices
from shared.ledger.guest_tokens import digest_of, draw_token
from shared.ledger.key_record import KeyRecord, key_record_from, ref_of
from shared.ledger.message_settings import MessageSettings, message_settings
from shared.ledger.notices import Notice, Outcome, Way, WayState, notice_at, notice_from
from shared.messages.kinds import Channel
from shared.ports.documents import StaleVersion
from shared.ports.messengers import MessengerTrouble, OutcomeUnknown, Refused
from shared.usecases.guests.ladder import (
    STATUS_WITHIN,
    Act,
    End,
    Send,
    Wait,
    advanced,
    claimed,
    next_act,
    put_off,
    reached,
)
from shared.usecases.guests.services import GuestServices
from shared.usecases.guests.shown_keys import over
from shared.usecases.guests.told_before import never_told
from shared.usecases.guests.write_message import Outgoing, Skipped, Writer, Written

LONGEST_SLEEP: Final = timedelta(minutes=1)
MOST_ACTS: Final = 8
GRACE: Final = timedelta(minutes=1)
"""So long after a step was to look again, and did not, the sweeper begins another."""
RESTING_SEEN: Final = timedelta(days=1)
"""So often it is looked whether a key rests still that is to be told; that it woke is heard of at once."""
_TRUE_WHILE: Final = {
    "issued": Active | Suspended,
    "updated": Active,
    "suspended": Suspended,
    "revoked": Revoked,
}
_OF_KNOWN: Final = frozenset({"suspended", "revoked"})
_GONE: Final = frozenset({"no_such_address", "opted_out", "no_such_number", "no_mobile"})
"""Why an address is not tried again, for another stay either."""

Carry = Callable[[Outgoing], Awaitable[str]]
Carriers = Callable[[Channel, TenantId], Awaitable[Carry | None]]
"""Returns how a tenant's messages go on a way; None where it has no account there."""


@dataclass(frozen=True, slots=True)
class Telling:
    """Which notice of whom is to be told."""

    tenant: TenantId
    notice: str

    @classmethod
    def of(cls, body: Mapping[str, Any]) -> Self:
        """Read the command."""
        return cls(TenantId.parse(body.get("tenant"), "tenant"), str(body.get("notice", "")))


async def tell_guest(telling: Telling, on: GuestServices, carriers: Carriers) -> dict[str, Any]:
    """Do what is next about a notice, and say when to look again."""
    step = _Step(telling, on, carriers)
    for _ in range(MOST_ACTS):
        try:
            done = await step.taken()
        except StaleVersion:
            continue  # somebody else told of it, or tells it: look again
        if done is not None:
            return done
    return {"outcome": "wait", "after_seconds": 1}


@dataclass(frozen=True, slots=True)
class _Step:
    telling: Telling
    on: GuestServices
    carriers: Carriers

    async def taken(self) -> dict[str, Any] | None:
        """Take one step; None while another is to be taken at once."""
        store, now = self.on.documents.tenant(self.telling.tenant), self.on.now
        found = await store.get(notice_at(self.telling.notice))
        if found is None:
            return {"outcome": "done"}
        notice = notice_from(found)
        if notice.outcome is not None:
            return await self._over(notice, now)
        entry = await self._entry(notice)
        if entry is None or not still_true(notice, entry, self.on) or await self._of_untold(notice):
            return await self._ended(notice, Outcome.SUPERSEDED)
        notice = advanced(notice, now)
        match _next(notice, entry, now):
            case Send(channel):
                await self._sent(notice, entry, channel)
                return None
            case Wait(until):
                return await self._waited(notice, until, now)
            case End(outcome):
                return await self._ended(notice, outcome)

    async def _of_untold(self, notice: Notice) -> bool:
        """Say whether a notice is of the rest or end of a key that its guest never heard of."""
        store = self.on.documents.tenant(self.telling.tenant)
        return notice.tells in _OF_KNOWN and await never_told(notice, store)

    async def _entry(self, notice: Notice) -> KeyRecord | None:
        found = await self.on.documents.tenant(self.telling.tenant).get(ref_of(notice.credential))
        return None if found is None else key_record_from(found)

    async def _sent(self, notice: Notice, entry: KeyRecord, channel: Channel) -> None:
        receipt = draw_token(self.on.entropy)
        mine = claimed(notice, channel, self.on.now)
        if channel is Channel.PUSH:
            # Kept with the claim: an app may tell of a push before its provider answers us.
            mine = mine.on_way(channel, receipt=digest_of(receipt))
        await self._save(mine)
        await self._keep_way(channel, await self._handed_over(mine, entry, channel, receipt))

    async def _handed_over(
        self, notice: Notice, entry: KeyRecord, channel: Channel, receipt: Secret[str]
    ) -> Way:
        """Write the message and call the provider; return what became of the way."""
        way = notice.ways[channel]
        settings = await message_settings(self.on.documents.tenant(self.telling.tenant), notice.property_id)
        if settings is None:
            return _left_out(way, "no_settings")
        try:
            carry = await self.carriers(channel, self.telling.tenant)
            if carry is None:
                return _left_out(way, "no_account")
            writer = Writer(self.telling.tenant, notice, entry, settings, self.on)
            written = await writer.written(channel, receipt)
            notice = notice.on_way(channel, went_to=await self._name_of(written, channel))
        except Skipped as skipped:
            return _left_out(way, skipped.reason)
        except InvalidInput as refusal:
            # Settings or an account that no retry mends: the other ways go on, and people hear of it.
            self.on.log.failure("a message could not be written", refusal, field=refusal.field)
            return _left_out(way, f"bad_{refusal.field}")
        return await self._carried(written, carry, notice, channel, settings)

    async def _name_of(self, written: Written, channel: Channel) -> str | None:
        """Return what a bounce is noted under: the guest may have another address when it comes."""
        if channel is not Channel.EMAIL:
            return None
        devices = GuestDevices(self.on.documents.tenant(self.telling.tenant), self.on.cipher)
        return await devices.named(written.address)

    async def _carried(
        self, written: Written, carry: Carry, notice: Notice, channel: Channel, settings: MessageSettings
    ) -> Way:
        way, now = notice.ways[channel], self.on.now
        lasts = timedelta(seconds=settings.push_seconds) if channel is Channel.PUSH else STATUS_WITHIN
        try:
            await carry(written.message)
        except Refused as refusal:
            await self._forget(written, channel, notice, refusal.reason)
            return replace(way, state=WayState.FAILED, due=None, reason=refusal.reason)
        except OutcomeUnknown as doubt:
            return put_off(way, doubt.reason, None, now)
        except MessengerTrouble as trouble:
            # It did not go: nothing needs to be looked for at the provider.
            return replace(put_off(way, trouble.reason, trouble.after, now), since=None)
        due = None if channel is Channel.EMAIL else now + lasts
        return replace(way, state=WayState.SENT, due=due, reason=None)

    async def _forget(self, written: Written, channel: Channel, notice: Notice, reason: str) -> None:
        """Keep that an address is good for nothing."""
        devices = GuestDevices(self.on.documents.tenant(self.telling.tenant), self.on.cipher)
        if channel is Channel.PUSH:
            await devices.forget(notice.reservation)
        elif reason in _GONE:
            await devices.suppress(written.address, reason, self.on.now + SUPPRESSED_FOR)

    async def _keep_way(self, channel: Channel, after: Way) -> None:
        """Save what became of one way; a status that was heard before the answer is not undone."""

        async def kept() -> None:
            store = self.on.documents.tenant(self.telling.tenant)
            found = await store.get(notice_at(self.telling.notice))
            if found is None:
                return
            notice = notice_from(found)
            if notice.ways[channel].state is WayState.CLAIMED:
                await self._save(replace(notice, **_one(channel, after)))

        await retry_on_conflict(kept)
        named = {"tenant": self.telling.tenant, "notice": self.telling.notice, "way": channel.value}
        self.on.log.info("a guest was written to", state=after.state.value, because=after.reason, **named)

    async def _waited(self, notice: Notice, until: datetime, now: datetime) -> dict[str, Any]:
        wait = until - now
        await self._save(replace(notice, due=until + (GRACE if wait <= LONGEST_SLEEP else timedelta(0))))
        if wait > LONGEST_SLEEP:
            return {"outcome": "parked"}
        return {"outcome": "wait", "after_seconds": max(1, int(wait.total_seconds() + 0.999))}

    async def _ended(self, notice: Notice, outcome: Outcome) -> dict[str, Any]:
        """Save what a notice came to; of two who do, one calls the desk; if it dies, another follows."""
        calls = outcome is Outcome.UNREACHED and not await self._has_left(notice)
        owed = self.on.now + GRACE if calls else None
        over = replace(notice, outcome=outcome, due=owed)
        (version,) = await self.on.documents.tenant(self.telling.tenant).commit([over.write()])
        if owed is not None:
            await self._call_the_desk(replace(over, version=version))
        return {"outcome": "done"}

    async def _has_left(self, notice: Notice) -> bool:
        """Say whether a key ended because its guest checked out: who has left stands before no door."""
        entry = await self._entry(notice)
        state = None if entry is None else entry.credential.state
        return isinstance(state, Revoked) and state.reason is RevokeReason.CHECKOUT

    async def _over(self, notice: Notice, now: datetime) -> dict[str, Any]:
        """Call the desk in place of somebody who died before it; else nothing more is to be done."""
        if notice.due is not None and notice.due <= now:
            await self._call_the_desk(notice)
        return {"outcome": "done"}

    async def _call_the_desk(self, notice: Notice) -> None:
        """Alarm, and note that it is no longer owed."""
        ways = (f"{name.value} {way.reason or way.state}" for name, way in notice.ways.items())
        tried = ", ".join(ways).replace("_", " ")
        self.on.log.alert(
            "a guest could be told on no way",
            runbook="guests/not-reached",
            tenantId=self.telling.tenant,
            reservationId=notice.reservation,
            keyCredentialId=notice.credential,
            reason=f"{notice.kind.value}: {tried}",
            remedy="tell the guest yourself, or correct the contact and run keyfleet message resend",
        )
        await self._save(replace(notice, due=None))

    async def _save(self, notice: Notice) -> None:
        await self.on.documents.tenant(self.telling.tenant).commit([notice.write()])


def still_true(notice: Notice, entry: KeyRecord, on: GuestServices) -> bool:
    """Say whether what a notice is to tell is so now."""
    if notice.tells == "revoked":
        return isinstance(entry.credential.state, Revoked)
    return isinstance(entry.credential.state, _TRUE_WHILE[notice.tells]) and not over(entry, on)


def _next(notice: Notice, entry: KeyRecord, now: datetime) -> Act:
    """Return what is to be done; nobody is told what opens a door while that opens none."""
    if notice.tells != "issued" or not isinstance(entry.credential.state, Suspended):
        return next_act(notice, now)
    return End(Outcome.REACHED) if reached(notice) else Wait(now + RESTING_SEEN)


def _left_out(way: Way, reason: str) -> Way:
    return replace(way, state=WayState.SKIPPED, due=None, reason=reason)


def _one(channel: Channel, way: Way) -> dict[str, Any]:
    return {channel.value: way}
