"""The key page as HTML: complete without a script, in the guest's language, with nothing from elsewhere.

A PIN stands in a `bdi` that runs left to right, as numbers do; a screen reader gets its digits one by one.
Styles stand in the one `style` element that the policy's nonce allows. What hotels wrote is cleaned of bidi
marks and escaped. Forms go to the address that they came from.
"""

import html
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from shared.domain.colour import OURS
from shared.domain.kinds import WalletName
from shared.domain.secret import Secret
from shared.domain.window import StayWindow
from shared.messages.bidi import clean
from shared.messages.dates import spoken_time
from shared.messages.locales import Locale
from shared.messages.particulars import grouped
from shared.messages.texts import Tongue, filled, our_texts

PAGE_SLOTS: Final[Mapping[str, frozenset[str]]] = {
    **dict.fromkeys(("title", "lead", "proof", "show", "refused", "code", "press", "qr"), frozenset()),
    **dict.fromkeys(("mobile", "card", "doors", "opens", "closes", "local", "making", "rests"), frozenset()),
    **dict.fromkeys(("none", "trouble", "early", "unreached", "fine", "renew", "renewing"), frozenset()),
    **dict.fromkeys(("lock", "desk", "again", "languages", "pass"), frozenset()),
    "add": frozenset({"wallet"}),
    "call": frozenset({"phone"}),
    "goes_on": frozenset({"until"}),
    "went_on": frozenset(),
}
OWN_NAMES: Final[Mapping[Locale, str]] = {
    Locale.PS: "پښتو",
    Locale.FA_AF: "دری",
    Locale.AR: "العربية",
    Locale.EN: "English",
    Locale.FR: "Français",
}
WALLETS: Final[Mapping[WalletName, str]] = {
    WalletName.APPLE: "Apple Wallet",
    WalletName.GOOGLE: "Google Wallet",
}
LONGEST: Final = 80
PROOF, DO, LANGUAGE, KEY = "proof", "do", "l", "key"
"""The names of the forms' fields."""
_STYLE: Final = """
:root{color-scheme:light}*{box-sizing:border-box}
body{margin:0;background:#f4f4f2;color:#1c1c1a;font:1rem/1.6 system-ui,"Noto Naskh Arabic",Tahoma,sans-serif}
html:lang(ps),html:lang(fa),html:lang(ar){font-size:110%}
body:lang(ps),body:lang(fa),body:lang(ar){line-height:1.9}
main,footer{max-width:34rem;margin-inline:auto;padding:1rem}
h1{font-size:1.5rem;margin-block:.5rem}h2{font-size:1.15rem;margin-block:0 .5rem}
section{background:#fff;border-radius:.75rem;padding:1rem;margin-block:1rem}
dl{margin:0}dt{color:#4a4a45}dd{margin:0 0 .5rem;font-weight:600}
.pin,.number{display:inline-block;white-space:nowrap}
.pin{font-size:2.5rem;font-weight:700;letter-spacing:.06em;font-variant-numeric:tabular-nums;
margin-block:.25rem}
.aloud{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.square{max-width:16rem;margin-inline:auto}.square svg{width:100%;height:auto;background:#fff}
label{display:block;margin-block:1rem .25rem}
input{font:inherit;width:100%;padding:.6rem;border:2px solid #4a4a45;border-radius:.5rem}
button{font:inherit;padding:.7rem 1.2rem;border:2px solid var(--own);border-radius:.5rem;
background:var(--own);color:#fff;cursor:pointer;margin-block:.75rem 0}
button.quiet{background:#fff;color:var(--own)}
:focus-visible{outline:3px solid #b4540a;outline-offset:2px}
.said{border-inline-start:.3rem solid #b4540a;padding-inline-start:.75rem}
footer form{display:flex;flex-wrap:wrap;gap:.5rem}footer button{margin:0;padding:.4rem .8rem}
"""


@dataclass(frozen=True, slots=True)
class KeyOnPage:
    """One key as its guest sees it; `says` names the text beside it, `trouble` what helps if it fails."""

    id: str
    says: str
    doors: tuple[str, ...]
    window: StayWindow
    pin: Secret[str] | None = field(default=None, repr=False)
    square: str | None = field(default=None, repr=False)
    """The QR code as an SVG of ours."""
    trouble: str | None = None
    renewable: bool = False
    wallets: tuple[WalletName, ...] = ()
    """Those that a card may be had for."""
    saves: Mapping[WalletName, Secret[str]] = field(default_factory=dict, repr=False)
    """Where a card that was asked for is kept."""
    turn: tuple[str, datetime] | None = None
    """Which text says that it opens on over the turn of two stays, and until when."""


@dataclass(frozen=True, slots=True)
class Stationery:
    """What every page has: its language, the nonce of its style, and the hotel, once it may be named."""

    locale: Locale
    nonce: str
    hotel: str = ""
    phone: str = ""
    colour: str = OURS

    @property
    def tongue(self) -> Tongue:
        """What the language says."""
        return our_texts().tongues[self.locale]

    def text(self, name: str) -> str:
        """Return one text, escaped."""
        return html.escape(self.tongue.page[name])


def sign_in_page(on: Stationery, *, asks: bool, refused: bool) -> str:
    """Return the page that a link leads to: the same for every link, known or not."""
    said = f'<p class="said" role="alert">{on.text("refused")}</p>' if refused else ""
    asked = (
        f'<label for="proof">{on.text("proof")}</label>'
        f'<input id="proof" name="{PROOF}" dir="ltr" autocomplete="off" maxlength="64" required>'
    )
    form = (
        f'<form method="post">{_language(on)}{asked if asks else ""}'
        f'<button name="{DO}" value="show">{on.text("show")}</button></form>'
    )
    lead = "" if refused else f"<p>{on.text('lead')}</p>"
    return _page(on, f"<section>{lead}{said}{form}</section>", method="get")


def keys_page(on: Stationery, keys: Sequence[KeyOnPage]) -> str:
    """Return the page with a guest's keys."""
    shown = "".join(_key(on, key) for key in keys)
    none = f"<section><p>{on.text('none')}</p></section>"
    again = f'<form method="post">{_language(on)}{_button(on, "show", "again")}</form>'
    return _page(on, f"{shown or none}<section>{_desk(on)}{again}</section>", method="post")


def _key(on: Stationery, key: KeyOnPage) -> str:
    parts = [f"<h2>{on.text(key.says)}</h2>"]
    if key.pin is not None:
        parts += [_pin(key.pin), f"<p>{on.text('press')}</p>"]
    if key.square is not None:
        parts.append(f'<div class="square" role="img" aria-label="{on.text("qr")}">{key.square}</div>')
    parts += [_times(on, key), *_trouble(on, key), *_wallets(on, key)]
    return f"<section>{''.join(parts)}</section>"


def _pin(pin: Secret[str]) -> str:
    digits = pin.reveal()
    return (
        f'<p><bdi dir="ltr" class="pin" aria-hidden="true">{html.escape(grouped(digits))}</bdi>'
        f'<bdi dir="ltr" class="aloud">{html.escape(" ".join(digits))}</bdi></p>'
    )


def _times(on: Stationery, key: KeyOnPage) -> str:
    def at(moment: datetime) -> str:
        said = spoken_time(moment, key.window.zone, on.locale, on.tongue, "long")
        return f'<bdi dir="{on.locale.direction}">{html.escape(said)}</bdi>'

    doors = "، " if on.locale.direction == "rtl" else ", "
    named = doors.join(f"<bdi>{html.escape(clean(each, LONGEST))}</bdi>" for each in key.doors)
    rows = (("doors", named), ("opens", at(key.window.start)), ("closes", at(key.window.end)))
    listed = "".join(f"<dt>{on.text(name)}</dt><dd>{said}</dd>" for name, said in rows)
    turn = "" if key.turn is None else f"<p>{filled(on.text(key.turn[0]), {'until': at(key.turn[1])})}</p>"
    return f"<dl>{listed}</dl>{turn}<p>{on.text('local')}</p>"


def _trouble(on: Stationery, key: KeyOnPage) -> Iterator[str]:
    if key.pin is None and key.trouble is None:
        return
    if key.trouble is None:
        yield f'<form method="post">{_language(on)}{_named(key)}{_button(on, "trouble")}</form>'
        return
    yield f'<p class="said" role="status">{on.text(key.trouble)}</p>'
    if key.renewable:
        yield f'<form method="post">{_language(on)}{_named(key)}{_button(on, "renew")}</form>'


def _wallets(on: Stationery, key: KeyOnPage) -> Iterator[str]:
    if not key.wallets:
        return
    yield f"<p>{on.text('pass')}</p>"
    for each in key.wallets:
        # What a hotel offers is named in its own script, within whatever runs the other way.
        said = filled(on.text("add"), {"wallet": f'<bdi dir="ltr">{WALLETS[each]}</bdi>'})
        if each in key.saves:
            address = html.escape(key.saves[each].reveal())
            yield f'<p><a rel="noreferrer noopener" href="{address}">{said}</a></p>'
            continue
        button = f'<button class="quiet" name="{DO}" value="{each.value}">{said}</button>'
        yield f'<form method="post">{_language(on)}{_named(key)}{button}</form>'


def _desk(on: Stationery) -> str:
    if not on.phone:
        return f"<p>{on.text('desk')}</p>"
    number = f'<bdi dir="ltr" class="number">{html.escape(clean(on.phone, LONGEST))}</bdi>'
    return f"<p>{on.text('desk')}</p><p>{filled(on.text('call'), {'phone': number})}</p>"


def _button(on: Stationery, does: str, says: str = "") -> str:
    return f'<button class="quiet" name="{DO}" value="{does}">{on.text(says or does)}</button>'


def _named(key: KeyOnPage) -> str:
    return f'<input type="hidden" name="{KEY}" value="{html.escape(key.id)}">'


def _language(on: Stationery) -> str:
    return f'<input type="hidden" name="{LANGUAGE}" value="{on.locale.value}">'


def _page(on: Stationery, body: str, method: str) -> str:
    title = on.text("title")
    hotel = f"<p><bdi>{html.escape(clean(on.hotel, LONGEST))}</bdi></p>" if on.hotel else ""
    show = f'<input type="hidden" name="{DO}" value="show">' if method == "post" else ""
    others = "".join(
        f'<button class="quiet" lang="{each.value}" dir="{each.direction}" name="{LANGUAGE}" '
        f'value="{each.value}">{name}</button>'
        for each, name in OWN_NAMES.items()
        if each is not on.locale
    )
    return (
        f'<!doctype html><html lang="{on.locale.value}" dir="{on.locale.direction}"><head>'
        '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta name="robots" content="noindex"><title>{title}</title>'
        f'<link rel="icon" href="data:,"><style nonce="{on.nonce}">:root{{--own:{on.colour}}}{_STYLE}'
        "</style></head>"
        f"<body><main><h1>{title}</h1>{hotel}{body}</main>"
        f'<footer><nav aria-label="{on.text("languages")}"><form method="{method}">{show}{others}</form>'
        "</nav></footer></body></html>"
    )
