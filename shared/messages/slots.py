"""Values as they stand in each kind of text: escaped, isolated, and as short as the channel asks."""

import html
from collections.abc import Mapping
from datetime import datetime
from typing import Final, Literal

from shared.messages.bidi import isolated, marked
from shared.messages.dates import Form, spoken_time
from shared.messages.kinds import Channel, Slot
from shared.messages.locales import Direction, Locale
from shared.messages.particulars import Particulars, grouped
from shared.messages.texts import Tongue

Surface = Literal["html", "letter", "push", "sms"]
_CHANNEL: Final[Mapping[Surface, Channel]] = {
    "html": Channel.EMAIL,
    "letter": Channel.EMAIL,
    "push": Channel.PUSH,
    "sms": Channel.SMS,
}
_COMMA: Final[Mapping[Direction, str]] = {"ltr": ", ", "rtl": "، "}
_STRONG: Final = '<strong style="font-size:24px;white-space:nowrap">{}</strong>'


def values_for(surface: Surface, said: Particulars, locale: Locale, tongue: Tongue) -> dict[str, str]:
    """Return what fills each slot of a text; a slot without a value is not in it."""

    def held(text: str, direction: Direction | None) -> str:
        return _held(surface, text, direction, locale)

    def at(instant: datetime) -> str:
        form: Form = "short" if surface == "sms" else "long"
        return held(spoken_time(instant, said.window.zone, locale, tongue, form), locale.direction)

    values = {
        Slot.HOTEL: held(said.hotel_for(_CHANNEL[surface]), None),
        Slot.PHONE: held(said.clean_phone, "ltr"),
        Slot.ROOMS: _COMMA[locale.direction].join(held(room, None) for room in said.clean_rooms),
        Slot.OPENS: at(said.window.start),
        Slot.CLOSES: at(said.window.end),
    }
    if said.pin is not None:
        pin = held(grouped(said.pin.reveal()), "ltr")
        values[Slot.PIN] = _STRONG.format(pin) if surface == "html" else pin
    if said.link is not None:
        values[Slot.LINK] = said.link.reveal()
    return {slot.value: value for slot, value in values.items()}


def _held(surface: Surface, text: str, direction: Direction | None, locale: Locale) -> str:
    if surface == "sms":
        return marked(text, direction, locale.direction)
    if surface == "html":
        turned = f' dir="{direction}"' if direction else ""
        return f"<bdi{turned}>{html.escape(text)}</bdi>"
    return isolated(text, direction)
