"""How a hotel writes to its guests: by which name and number, when it lets them sleep, and what it allows.

A hotel without settings writes to nobody. What is kept under `tenant` holds for each hotel that has none of
its own. Accounts at mail, SMS and push providers are secrets, and no part of this.
"""

import re
from dataclasses import dataclass, replace
from datetime import datetime, time, timedelta
from typing import Annotated, ClassVar, Final

from shared.domain.colour import OURS, is_legible
from shared.domain.errors import InvalidInput
from shared.domain.kinds import WalletName
from shared.domain.stored import UNSTORED, Stored
from shared.domain.window import zone_named
from shared.ledger.reading import read_record
from shared.ports.documents import Ref, TenantDocuments
from shared.streams.record import Record

MESSAGE_SETTINGS: Final = "message_settings"
OF_TENANT: Final = Ref(MESSAGE_SETTINGS, "tenant")
_HOURS: Final = 24
_BASE: Final = re.compile(r"(https://[a-z0-9.-]+|http://127\.0\.0\.1)(:[0-9]{1,5})?(/[a-z0-9/-]*[a-z0-9])?")


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageSettings(Record):
    """One hotel's, or one tenant's."""

    schema_version: ClassVar[int] = 1

    place: Annotated[str, UNSTORED] = OF_TENANT.id
    """Whose: a property's id, or the tenant's own."""
    phone: str
    """Of the front desk; it stands in every message."""
    link_base: str
    """Where the key page is, as guests' links begin."""
    status_base: str = ""
    """Where providers and apps tell what became of messages; beside the key page, where it is empty."""
    sender: str = ""
    """In whose name is written; the hotel's, where it is empty."""
    locale: str = "en"
    """The language of guests of whom none is known."""
    sms: bool = True
    push: bool = True
    quiet_from: int = 22
    quiet_until: int = 7
    """The hours of the hotel's clock in which no telephone rings unless it must; the same twice is never."""
    push_seconds: int = 60
    """How long a push may go without a receipt before the guest counts as not reached by it (A §10.1)."""
    renews_codes: bool = False
    """Whether a guest may have a new code without the desk."""
    wallets: Annotated[tuple[WalletName, ...], Stored(omitted=True)] = ()
    """Which wallets a guest is offered a card for."""
    code_on_cards: Annotated[bool, Stored(omitted=True)] = False
    """Whether a card may hold the door's code: it stays on the phone after the key has ended."""
    colour: Annotated[str, Stored(omitted=True)] = OURS
    """Of the buttons of pages and letters."""

    def __post_init__(self) -> None:
        if not self.phone.strip():
            raise InvalidInput("phone", "no number", "Give the front desk's number")
        if not _BASE.fullmatch(self.link_base):
            raise InvalidInput("linkBase", "not an https address", "Give https://host and a plain path")
        if self.status_base and not _BASE.fullmatch(self.status_base):
            raise InvalidInput("statusBase", "not an https address", "Give https://host, or leave it out")
        if not is_legible(self.colour):
            remedy = "Give #rrggbb in lower case, dark enough to be read on white"
            raise InvalidInput("colour", "no colour that can be read", remedy)
        for name, field in (("quiet_from", "quietFrom"), ("quiet_until", "quietUntil")):
            if not 0 <= getattr(self, name) < _HOURS:
                raise InvalidInput(field, "no hour of the day", "Give a whole hour from 0 to 23")
        if not 10 <= self.push_seconds <= 3600:
            raise InvalidInput("pushSeconds", "out of range", "Give 10 to 3600 seconds")

    @property
    def ref(self) -> Ref:
        """Where they are kept."""
        return Ref(MESSAGE_SETTINGS, self.place)

    def status_url(self, way: str, tenant: str, notice: str) -> str:
        """Return where it is told what became of a message; a provider signs just these letters."""
        base = self.status_base or "/".join(self.link_base.split("/")[:3])
        return f"{base}/message-status/{way}/{tenant}/{notice}"

    def quiet_ends(self, now: datetime, zone: str) -> datetime | None:
        """Return when the night is over, on the hotel's clock; None if it is not night."""
        local = now.astimezone(zone_named(zone))
        past = (local.hour - self.quiet_from) % _HOURS
        if past >= (self.quiet_until - self.quiet_from) % _HOURS:
            return None
        morning = datetime.combine(local.date(), time(self.quiet_until), local.tzinfo)
        return morning if morning > local else morning + timedelta(days=1)


async def message_settings(store: TenantDocuments, property_id: str) -> MessageSettings | None:
    """Return how a hotel writes to its guests; None if it does not."""
    return await settings_of(property_id, store) or await settings_of(OF_TENANT.id, store)


async def settings_of(place: str, store: TenantDocuments) -> MessageSettings | None:
    """Return the settings that a hotel, or the tenant, has of its own."""
    found = await store.get(Ref(MESSAGE_SETTINGS, place))
    return None if found is None else replace(read_record(MessageSettings, found), place=place)
