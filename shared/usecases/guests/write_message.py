"""A notice becomes the message of one way: in the guest's language, with a link of its own, to an address.

A link is drawn and kept before the message goes; one that never went leads nobody anywhere. Where there is no
address, no account or nothing to say, the way is skipped with its reason.
"""

import contextlib
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from shared.domain.ids import TenantId
from shared.domain.secret import Secret
from shared.ledger.guest_contacts import Contact, GuestContacts
from shared.ledger.guest_devices import GuestDevices
from shared.ledger.guest_tokens import PRINTED, GuestToken, GuestTokens, draw_token
from shared.ledger.key_record import KeyRecord
from shared.ledger.message_settings import MessageSettings
from shared.ledger.notices import Notice
from shared.messages.compose import Message, compose
from shared.messages.kinds import ONCE_IT_WORKS, RULES, Channel, Slot
from shared.messages.locales import Locale, choose
from shared.messages.particulars import Particulars
from shared.messages.square import printed_text, square_png
from shared.messages.texts import our_texts
from shared.ports.documents import AlreadyExists
from shared.ports.messengers import Letter, PushMessage, ShortMessage
from shared.usecases.guests.services import GuestServices
from shared.usecases.guests.shown_keys import secret_of, window_of

NO_LINKS_TO: Final = ("+98",)
"""Countries whose operators drop an SMS with a link in it."""
Outgoing = Letter | ShortMessage | PushMessage


class Skipped(Exception):
    """There is no such way to this guest; `reason` is one of our words."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason.replace("_", " "))
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Written:
    """A message and to whom it goes."""

    message: Outgoing
    address: Secret[str]


@dataclass(frozen=True, slots=True)
class Writer:
    """Writes the messages of one notice."""

    tenant: TenantId
    notice: Notice
    entry: KeyRecord
    settings: MessageSettings
    on: GuestServices

    async def written(self, channel: Channel, receipt: Secret[str]) -> Written:
        """Return the message of a way, or raise Skipped; a push's arrival is told by its receipt."""
        store = self.on.documents.tenant(self.tenant)
        contact = await GuestContacts(store, self.on.cipher).find(self.notice.reservation)
        wanted = contact or Contact()
        locale = choose((wanted.locale, self.settings.locale))
        if channel is Channel.EMAIL:
            return await self._letter(await self._open_to(wanted.email, "no_address"), locale)
        if channel is Channel.SMS:
            return await self._short(await self._open_to(wanted.phone, "no_number"), locale)
        return await self._push(locale, receipt)

    async def _open_to(self, address: Secret[str] | None, without: str) -> Secret[str]:
        if address is None:
            raise Skipped(without)
        reason = await self._devices.suppressed(address)
        if reason is not None:
            raise Skipped(f"suppressed_{reason}")
        return address

    async def _letter(self, to: Secret[str], locale: Locale) -> Written:
        message, link = await self._composed(Channel.EMAIL, locale)
        assert message.email is not None  # noqa: S101 - the ladder has this way only where there is a letter
        printed = None
        if message.email.shows_qr and link is not None:
            await self._keep_printed()
            base, credential = self.settings.link_base, self.notice.credential
            printed = square_png(printed_text(base, locale.value, credential))
        letter = Letter(
            to=to,
            subject=message.email.subject,
            text=message.email.text,
            html=message.email.html,
            language=locale.value,
            sender=await self._hotel(),
            name=f"{self.notice.id}.{self.tenant}",
            square=printed,
        )
        return Written(letter, to)

    async def _short(self, to: Secret[str], locale: Locale) -> Written:
        links = not to.reveal().startswith(NO_LINKS_TO)
        message, _ = await self._composed(Channel.SMS, locale, links=links)
        assert message.sms is not None  # noqa: S101 - as above
        way = self.notice.ways[Channel.SMS]
        status = self.settings.status_url("sms", self.tenant, self.notice.id)
        before = way.since if way.tries > 1 else None
        return Written(ShortMessage(to, message.sms.text, status, before), to)

    async def _push(self, locale: Locale, receipt: Secret[str]) -> Written:
        device = await self._devices.find(self.notice.reservation)
        if device is None:
            raise Skipped("no_app")
        message, link = await self._composed(Channel.PUSH, locale)
        assert message.push is not None  # noqa: S101 - as above
        told = {
            "key": str(self.notice.credential),
            "receipt": receipt.reveal(),
            "receipt_url": self.settings.status_url("push", self.tenant, self.notice.id),
        }
        if link is not None:
            told["link"] = link.reveal()
        push = PushMessage(
            to=device.address,
            address_kind=device.kind,
            title=message.push.title,
            body=message.push.body,
            data=told,
            lasts=timedelta(seconds=self.settings.push_seconds),
        )
        return Written(push, device.address)

    async def _composed(
        self, channel: Channel, locale: Locale, *, links: bool = True
    ) -> tuple[Message, Secret[str] | None]:
        window = window_of(self.entry)
        kind = self.notice.kind
        if window.start <= self.on.now:
            kind = ONCE_IT_WORKS.get(kind, kind)
        slots = frozenset().union(*RULES[kind].parts.values())
        pin = await secret_of(self.entry, self.on) if Slot.PIN in slots else None
        if Slot.PIN in slots and pin is None:
            raise Skipped("no_secret")
        leads = "button" in {part.value for part in RULES[kind].parts}
        link = await self._link(channel, locale) if leads else None
        said = Particulars(
            hotel=await self._hotel(),
            phone=self.settings.phone,
            rooms=await self._doors(),
            window=window,
            link=link,
            pin=pin,
            colour=self.settings.colour,
        )
        return compose(our_texts(), kind, locale, said, link_in_sms=links), link

    async def _link(self, channel: Channel, locale: Locale) -> Secret[str]:
        token = draw_token(self.on.entropy)
        await GuestTokens(self.on.documents).keep(token, self._leading_here(channel.value))
        return Secret(f"{self.settings.link_base}/{locale.value}/{token.reveal()}")

    async def _keep_printed(self) -> None:
        with contextlib.suppress(AlreadyExists):
            kept = self._leading_here(PRINTED)
            await GuestTokens(self.on.documents).keep(Secret(str(self.notice.credential)), kept)

    def _leading_here(self, channel: str) -> GuestToken:
        return GuestToken(
            tenant=self.tenant,
            reservation=self.notice.reservation,
            credential=self.notice.credential,
            channel=channel,
            expires=max(window_of(self.entry).end, self.on.now),
        )

    async def _hotel(self) -> str:
        if self.settings.sender:
            return self.settings.sender
        premises = await self.on.hotels.premises_of_key(self.tenant, self.notice.property_id)
        return premises.property.name

    async def _doors(self) -> tuple[str, ...]:
        core = self.entry.credential.core
        premises = await self.on.hotels.premises_of_key(self.tenant, self.notice.property_id)
        doors = premises.doors(core.rooms, core.scope)
        return tuple(door.label for door in doors)[:50] or tuple(core.rooms)

    @property
    def _devices(self) -> GuestDevices:
        return GuestDevices(self.on.documents.tenant(self.tenant), self.on.cipher)
