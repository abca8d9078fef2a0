"""What became of a message, as its provider or the guest's app tells it: kept, and the ladder goes on.

| told | by whom, proven how | the way becomes |
|---|---|---|
| a push arrived | the guest's app, by the receipt in it | delivered |
| an SMS: delivered, read | the provider, by a signature | delivered |
| an SMS: undelivered, failed | likewise | undelivered |
| a mail: bounced, complained | the mail service, signed | undelivered; the address is used no more |
| a mail: bounced | a report to the letter's own return path | likewise |
| a mail: returned for another reason | likewise | undelivered |
| a mail: delivered | either | delivered |
| anything before that (queued, sent, deferred) | likewise | as it was |

Statuses come twice, late and out of order: what was delivered stays so, and what is told before the answer of
the provider was saved is kept all the same. A bad word of a notice that is over opens it again while the stay
lasts.
"""

import hmac
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from shared.domain.ids import TenantId
from shared.domain.secret import Secret
from shared.keywork.services import retry_on_conflict
from shared.ledger.guest_contacts import GuestContacts
from shared.ledger.guest_devices import SUPPRESSED_FOR, GuestDevices
from shared.ledger.guest_tokens import digest_of
from shared.ledger.message_settings import message_settings
from shared.ledger.notices import Notice, Outcome, WayState, notice_at, notice_from
from shared.messages.kinds import Channel
from shared.ports.sagas import Sagas
from shared.usecases.guests.hear_of_key import begin_delivery
from shared.usecases.guests.ladder import CLAIMED_FOR, End, next_act
from shared.usecases.guests.services import GuestServices

_D, _U = WayState.DELIVERED, WayState.UNDELIVERED
MEANINGS: Final[Mapping[tuple[Channel, str], WayState]] = {
    (Channel.PUSH, "arrived"): _D,
    (Channel.SMS, "delivered"): _D,
    (Channel.SMS, "read"): _D,
    (Channel.SMS, "undelivered"): _U,
    (Channel.SMS, "failed"): _U,
    (Channel.EMAIL, "delivered"): _D,
    (Channel.EMAIL, "bounced"): _U,
    (Channel.EMAIL, "complained"): _U,
    (Channel.EMAIL, "returned"): _U,
}
_ADDRESS_GONE: Final = frozenset({"bounced", "complained"})
_MAY_BECOME: Final = frozenset(
    {WayState.CLAIMED, WayState.SENT, WayState.UNDELIVERED, WayState.UNCONFIRMED, WayState.DELIVERED}
)


@dataclass(frozen=True, slots=True)
class Status:
    """What is told of a notice on one way."""

    tenant: TenantId
    notice: str
    channel: Channel
    word: str


async def hear_status(status: Status, on: GuestServices, sagas: Sagas) -> bool:
    """Keep what became of a message; return whether it changed anything."""
    meaning = MEANINGS.get((status.channel, status.word))
    if meaning is None:
        return False
    changed = await retry_on_conflict(lambda: _kept(status, meaning, on))
    if changed is None:
        return False
    named = {"tenant": status.tenant, "notice": status.notice, "way": status.channel.value}
    on.log.info("it was heard what became of a message", state=meaning.value, because=status.word, **named)
    if changed.outcome is None:
        await begin_delivery(status.tenant, status.notice, sagas)
    return True


async def _kept(status: Status, meaning: WayState, on: GuestServices) -> Notice | None:
    store = on.documents.tenant(status.tenant)
    found = await store.get(notice_at(status.notice))
    notice = None if found is None else notice_from(found)
    way = None if notice is None else notice.ways.get(status.channel)
    if notice is None or way is None or way.state not in _MAY_BECOME:
        return None
    # A mail that was taken may bounce; what a handset has, it has.
    final = way.state is WayState.DELIVERED and status.channel is not Channel.EMAIL
    if way.state is meaning or final:
        return None
    after = notice.on_way(status.channel, state=meaning, due=None, reason=status.word)
    after = _opened(after, meaning, on)
    await store.commit([after.write()])
    return after


def _opened(notice: Notice, meaning: WayState, on: GuestServices) -> Notice:
    """Return a notice that the ladder goes on with, if a bad word came while the guest may still need it."""
    if meaning is WayState.DELIVERED:
        late = notice.outcome is Outcome.UNREACHED
        # Where the ladder has nothing left to do it is over here, and no execution begins to say so.
        over = notice.outcome is None and next_act(notice, on.now) == End(Outcome.REACHED)
        return replace(notice, outcome=Outcome.REACHED, due=None) if late or over else notice
    if notice.outcome is Outcome.SUPERSEDED or on.now >= notice.ends:
        return notice
    return replace(notice, outcome=None, due=on.now + CLAIMED_FOR)


async def take_no_more(status: Status, on: GuestServices) -> None:
    """Keep that a mail's address takes no message more: what bounced once would bounce again."""
    if status.channel is not Channel.EMAIL or status.word not in _ADDRESS_GONE:
        return
    store = on.documents.tenant(status.tenant)
    found = await store.get(notice_at(status.notice))
    if found is None:
        return
    notice, devices = notice_from(found), GuestDevices(store, on.cipher)
    went_to = None if notice.email is None else notice.email.went_to
    if went_to is None:  # its bounce was faster than what we keep of its way
        contact = await GuestContacts(store, on.cipher).find(notice.reservation)
        went_to = await devices.named(contact.email) if contact is not None and contact.email else None
    if went_to is not None:
        # Not the contact's of now: a mistyped address bounces after the desk has corrected it.
        await devices.suppress_named(went_to, status.word, on.now + SUPPRESSED_FOR)


async def receipt_fits(status: Status, receipt: Secret[str], on: GuestServices) -> bool:
    """Say whether a push's receipt is the one that was in it."""
    found = await on.documents.tenant(status.tenant).get(notice_at(status.notice))
    way = None if found is None else notice_from(found).push
    return (
        way is not None and way.receipt is not None and hmac.compare_digest(way.receipt, digest_of(receipt))
    )


async def status_url_of(tenant: TenantId, notice: str, on: GuestServices) -> str | None:
    """Return the address that a provider was given for an SMS: it signs just these letters."""
    store = on.documents.tenant(tenant)
    found = await store.get(notice_at(notice))
    settings = None if found is None else await message_settings(store, notice_from(found).property_id)
    return None if settings is None else settings.status_url(Channel.SMS.value, tenant, notice)
