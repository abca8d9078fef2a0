"""Which messages there are, through which channels they go, and what each may say."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from shared.domain.kinds import KeyCredentialKind


class Channel(StrEnum):
    """How a guest is reached."""

    PUSH = "push"
    EMAIL = "email"
    SMS = "sms"


class MessageKind(StrEnum):
    """What is told: the template's name between `template.lock.` and the locale (A §10.2)."""

    MOBILE_KEY_INVITE = "mobile_key.invite"
    PIN_CODE_DELIVERED = "pin_code.delivered"
    RFID_CARD_READY = "rfid_card.ready_at_desk"
    QR_CODE_DELIVERED = "qr_code.delivered"
    PIN_CODE_CHANGED = "pin_code.changed"
    KEY_TIMES_CHANGED = "key.times_changed"
    KEY_GOES_ON = "key.goes_on"
    KEY_RESTS = "key.rests"
    KEY_ENDED = "key.ended"


class Slot(StrEnum):
    """What a text leaves open."""

    HOTEL = "hotel"
    PHONE = "phone"
    ROOMS = "rooms"
    PIN = "pin"
    OPENS = "opens"
    CLOSES = "closes"
    LINK = "link"


class Part(StrEnum):
    """A text of one message in one language."""

    SUBJECT = "subject"
    LINES = "lines"
    BUTTON = "button"
    PUSH_TITLE = "push_title"
    PUSH_BODY = "push_body"
    SMS = "sms"
    SMS_WITHOUT_LINK = "sms_without_link"


CHANNEL_OF: Final[Mapping[Part, Channel]] = {
    Part.SUBJECT: Channel.EMAIL,
    Part.LINES: Channel.EMAIL,
    Part.BUTTON: Channel.EMAIL,
    Part.PUSH_TITLE: Channel.PUSH,
    Part.PUSH_BODY: Channel.PUSH,
    Part.SMS: Channel.SMS,
    Part.SMS_WITHOUT_LINK: Channel.SMS,
}
"""Some countries' operators drop a message with a link in it: theirs is the SMS without one."""


@dataclass(frozen=True, slots=True)
class Rule:
    """What a kind of message must hold: its parts with exactly these slots, and nothing else."""

    meaning: str
    parts: Mapping[Part, frozenset[Slot]]
    sms_segments: int = 0
    printable: bool = False
    """Whether the letter carries the QR code of the key page (A §10.1)."""

    @property
    def channels(self) -> frozenset[Channel]:
        """Where it goes."""
        return frozenset(CHANNEL_OF[part] for part in self.parts)


def _slots(names: str) -> frozenset[Slot]:
    return frozenset(Slot(name) for name in names.split())


_SUBJECT: Final = {Part.SUBJECT: _slots("hotel")}
_BUTTON: Final = {Part.BUTTON: _slots("")}
_PUSH: Final = {Part.PUSH_TITLE: _slots(""), Part.PUSH_BODY: _slots("hotel")}
_STAY: Final = {Part.LINES: _slots("rooms opens closes")}
_PIN: Final = {Part.LINES: _slots("pin rooms opens closes")}


def _sms(said: str) -> dict[Part, frozenset[Slot]]:
    """Return both forms of an SMS: where a link may not be sent, there is a number to call."""
    return {
        Part.SMS: _slots(f"hotel {said} link"),
        Part.SMS_WITHOUT_LINK: _slots(f"hotel {said} phone"),
    }


RULES: Final[Mapping[MessageKind, Rule]] = {
    MessageKind.MOBILE_KEY_INVITE: Rule(
        "A mobile key is ready.", _SUBJECT | _STAY | _BUTTON | _PUSH | _sms(""), 2, printable=True
    ),
    MessageKind.PIN_CODE_DELIVERED: Rule(
        "A PIN is ready.", _SUBJECT | _PIN | _BUTTON | _sms("pin opens"), 3, printable=True
    ),
    MessageKind.RFID_CARD_READY: Rule("A card waits at the desk.", _SUBJECT | _STAY),
    MessageKind.QR_CODE_DELIVERED: Rule(
        "A QR key is ready.", _SUBJECT | _STAY | _BUTTON | _PUSH, printable=True
    ),
    MessageKind.PIN_CODE_CHANGED: Rule(
        "Another PIN takes over; sent before the old one dies, unless that is lost.",
        _SUBJECT | _PIN | _BUTTON | _PUSH | _sms("pin opens"),
        3,
        printable=True,
    ),
    MessageKind.KEY_TIMES_CHANGED: Rule(
        "A key works at other times.", _SUBJECT | _STAY | _BUTTON | _PUSH | _sms("opens closes"), 3
    ),
    MessageKind.KEY_GOES_ON: Rule(
        "A key that works already works until another time.",
        _SUBJECT | {Part.LINES: _slots("rooms closes")} | _BUTTON | _PUSH | _sms("closes"),
        3,
    ),
    MessageKind.KEY_RESTS: Rule(
        "A key rests.", _SUBJECT | _STAY | _PUSH | {Part.SMS: _slots("hotel phone")}, 2
    ),
    MessageKind.KEY_ENDED: Rule("A key has ended.", _SUBJECT | _STAY | _PUSH),
}

MAY_SAY_PIN: Final = frozenset(
    (kind, channel)
    for kind in (MessageKind.PIN_CODE_DELIVERED, MessageKind.PIN_CODE_CHANGED)
    for channel in (Channel.EMAIL, Channel.SMS)
)
"""A PIN goes by mail and SMS only (A §10.1, §10.3): a push lights up on a locked screen."""

NEVER_IN: Final[Mapping[Part, frozenset[Slot]]] = {
    Part.SUBJECT: frozenset({Slot.PIN, Slot.ROOMS, Slot.LINK}),
    Part.PUSH_TITLE: frozenset({Slot.PIN, Slot.ROOMS, Slot.LINK}),
    Part.PUSH_BODY: frozenset({Slot.PIN, Slot.ROOMS, Slot.LINK}),
    Part.SMS: frozenset({Slot.ROOMS}),
    Part.SMS_WITHOUT_LINK: frozenset({Slot.ROOMS, Slot.LINK}),
}
"""What a locked screen or a list of mails would show to anybody; a push has its link in its data."""

ONCE_IT_WORKS: Final[Mapping[MessageKind, MessageKind]] = {
    MessageKind.KEY_TIMES_CHANGED: MessageKind.KEY_GOES_ON,
}
"""What is said instead of a key that works by then: a start that is past is no news."""

TOLD_WHEN_ISSUED: Final[Mapping[KeyCredentialKind, MessageKind]] = {
    KeyCredentialKind.MOBILE_APP: MessageKind.MOBILE_KEY_INVITE,
    KeyCredentialKind.NFC_TAG: MessageKind.MOBILE_KEY_INVITE,
    KeyCredentialKind.PIN_CODE: MessageKind.PIN_CODE_DELIVERED,
    KeyCredentialKind.RFID_CARD: MessageKind.RFID_CARD_READY,
    KeyCredentialKind.QR_CODE: MessageKind.QR_CODE_DELIVERED,
}
"""A §10.2; it has no template for `nfc_tag`, which is told like a mobile key."""
