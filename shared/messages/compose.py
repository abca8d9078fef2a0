"""A message, ready for its channels; what cannot be said of a key is refused before anything is sent."""

from dataclasses import dataclass, field

from shared.domain.errors import InvalidInput
from shared.messages.bidi import led
from shared.messages.kinds import RULES, Channel, MessageKind, Part, Slot
from shared.messages.letter import letter_html, letter_text
from shared.messages.locales import Locale
from shared.messages.particulars import Particulars
from shared.messages.slots import Surface, values_for
from shared.messages.sms import Length, folded, measured
from shared.messages.texts import Catalogue, filled


@dataclass(frozen=True, slots=True)
class Push:
    """What a locked screen shows; the link goes beside it, in the push's data."""

    title: str
    body: str


@dataclass(frozen=True, slots=True)
class Email:
    """A letter; its text and its HTML may hold a PIN and a link."""

    subject: str
    text: str = field(repr=False)
    html: str = field(repr=False)
    shows_qr: bool = False
    """Whether the HTML waits for a picture named `letter.QR_CONTENT_ID`."""


@dataclass(frozen=True, slots=True)
class Sms:
    """A short message; it may hold a PIN and a link."""

    text: str = field(repr=False)

    @property
    def length(self) -> Length:
        """What it costs."""
        return measured(self.text)


@dataclass(frozen=True, slots=True)
class Message:
    """One message in one language; a channel that it does not use is None."""

    kind: MessageKind
    locale: Locale
    push: Push | None
    email: Email | None
    sms: Sms | None


def compose(
    catalogue: Catalogue,
    kind: MessageKind,
    locale: Locale,
    said: Particulars,
    *,
    link_in_sms: bool = True,
) -> Message:
    """Write a message for every channel of its kind; `link_in_sms` is false where operators drop links."""
    _has_what_it_says(kind, said)
    writer = _Writer(catalogue, kind, locale, said)
    channels = RULES[kind].channels
    return Message(
        kind,
        locale,
        writer.push() if Channel.PUSH in channels else None,
        writer.email() if Channel.EMAIL in channels else None,
        writer.sms(link=link_in_sms) if Channel.SMS in channels else None,
    )


def compose_sms(
    catalogue: Catalogue, kind: MessageKind, locale: Locale, said: Particulars, *, link: bool = True
) -> Sms:
    """Write the short message alone, as a resend through this channel needs it."""
    _has_what_it_says(kind, said)
    if Channel.SMS not in RULES[kind].channels:
        raise InvalidInput("kind", "not told by SMS", "Send it through a channel of its rule")
    return _Writer(catalogue, kind, locale, said).sms(link=link)


def _has_what_it_says(kind: MessageKind, said: Particulars) -> None:
    parts = RULES[kind].parts
    wanted = frozenset().union(*parts.values())
    if Slot.PIN in wanted and said.pin is None:
        raise InvalidInput("pin", "missing", "This kind of message tells a PIN: give it")
    if Part.BUTTON in parts and said.link is None:
        raise InvalidInput("link", "missing", "This kind of message leads to the key page: give its link")


@dataclass(frozen=True, slots=True)
class _Writer:
    """Fills the texts of one message."""

    catalogue: Catalogue
    kind: MessageKind
    locale: Locale
    said: Particulars

    def push(self) -> Push:
        """The texts of a push."""
        return Push(self._filled(Part.PUSH_TITLE, "push"), self._filled(Part.PUSH_BODY, "push"))

    def email(self) -> Email:
        """The letter in both forms."""
        rest = (self.catalogue, self.kind, self.locale, self.said)
        subject = self._filled(Part.SUBJECT, "letter")
        return Email(subject, letter_text(*rest), letter_html(*rest), RULES[self.kind].printable)

    def sms(self, *, link: bool) -> Sms:
        """The short message; a Latin one is brought into GSM-7 as far as it goes."""
        unlinked = not link and Part.SMS_WITHOUT_LINK in RULES[self.kind].parts
        text = self._filled(Part.SMS_WITHOUT_LINK if unlinked else Part.SMS, "sms")
        return Sms(folded(text) if self.locale.direction == "ltr" else led(text))

    def _filled(self, part: Part, surface: Surface) -> str:
        values = values_for(surface, self.said, self.locale, self.catalogue.tongues[self.locale])
        return filled(self.catalogue.text(self.locale, self.kind, part), values)
