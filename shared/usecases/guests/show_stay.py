"""A guest who is in sees the keys of the stay, and hears what helps if one of them does not open.

| asked | answer |
|---|---|
| the keys | each as it stands |
| `trouble` with one | beside it, what the ledger knows, and whether a new code may be had |
| `renew` one | that it is on its way, asked of a queue; the desk, if there was one lately |
"""

import contextlib
from dataclasses import dataclass
from typing import Final

from shared.domain.colour import OURS
from shared.domain.kinds import WalletName
from shared.ledger.key_record import KeyRecord
from shared.ledger.message_settings import MessageSettings, message_settings
from shared.ports.tasks import Task, TaskExists, TaskQueue
from shared.usecases.guests.explain_key import claim_renewal, explain, renewable
from shared.usecases.guests.services import GuestServices
from shared.usecases.guests.shown_keys import KeyStanding, ShownKey, keys_of_stay, shown_keys
from shared.usecases.guests.sign_in import SignedIn

RENEWER: Final = "renew-code"
TROUBLE, RENEW = "trouble", "renew"
RENEWING, DESK = "renewing", "desk"


@dataclass(frozen=True, slots=True)
class Question:
    """What a guest asks about which key, if about one."""

    about: str = ""
    asked: str = ""


@dataclass(frozen=True, slots=True)
class Helped:
    """What a guest is told whose code does not work: a text's name, and whether a new code may be had."""

    says: str | None = None
    renewable: bool = False


@dataclass(frozen=True, slots=True)
class StayShown:
    """The keys of a stay, what helps with each, and how its hotel writes to guests."""

    keys: tuple[tuple[ShownKey, Helped], ...]
    settings: MessageSettings | None

    @property
    def phone(self) -> str:
        """Whom to call; empty where the hotel has not said."""
        return "" if self.settings is None else self.settings.phone

    @property
    def colour(self) -> str:
        """The hotel's own."""
        return OURS if self.settings is None else self.settings.colour

    @property
    def link_base(self) -> str:
        """Where guests' links begin."""
        return "" if self.settings is None else self.settings.link_base

    @property
    def code_on_cards(self) -> bool:
        """Whether a card may hold a door's code."""
        return self.settings is not None and self.settings.code_on_cards

    def offers(self, key: ShownKey) -> tuple[WalletName, ...]:
        """Return the wallets that the guest is offered a card of a key for."""
        works = key.standing is KeyStanding.WORKS
        return self.settings.wallets if self.settings is not None and works else ()

    @property
    def hotel(self) -> str:
        """The hotel's name, once there is a key of it."""
        return self.keys[0][0].hotel if self.keys else ""


async def show_stay(signed: SignedIn, question: Question, on: GuestServices, tasks: TaskQueue) -> StayShown:
    """Return the keys of a stay for its guest."""
    entries = await keys_of_stay(signed.tenant, signed.reservation, on)
    shown = await shown_keys(entries, signed.reservation, on)
    settings = None
    if shown:
        settings = await message_settings(on.documents.tenant(signed.tenant), shown[0].property_id)
    helped = [
        await _Help(signed, entry, settings, on, tasks).answer(question)
        if key.secret is not None and key.id == question.about
        else Helped()
        for entry, key in zip(entries, shown, strict=True)
    ]
    return StayShown(tuple(zip(shown, helped, strict=True)), settings)


@dataclass(frozen=True, slots=True)
class _Help:
    """Help with one key that works by the ledger."""

    signed: SignedIn
    entry: KeyRecord
    settings: MessageSettings | None
    on: GuestServices
    tasks: TaskQueue

    async def answer(self, question: Question) -> Helped:
        if question.asked not in (TROUBLE, RENEW):
            return Helped()
        trouble = await explain(self.entry, self.on)
        allowed = self.settings is not None and self.settings.renews_codes
        may = renewable(self.entry, trouble, allowed=allowed)
        if question.asked == TROUBLE or not may:
            return Helped(trouble.value, may)
        return await self._renewed()

    async def _renewed(self) -> Helped:
        """Have a new code made; where a crash kept it from the queue, whoever asks again has it made."""
        if not await claim_renewal(self.entry, self.signed.reservation, self.on):
            return Helped(DESK)
        body = {"tenant": str(self.signed.tenant), "key": str(self.entry.id)}
        with contextlib.suppress(TaskExists):  # it is on its way: a key is replaced once
            await self.tasks.enqueue(Task(RENEWER, body, name=f"renew-{self.entry.id}"))
        return Helped(RENEWING)
