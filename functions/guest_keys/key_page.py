"""A guest's visit to the key page: what came in is read, let in or not, and shown in the guest's language.

| asked for | answer |
|---|---|
| `GET` of any link | the same page for every link; nothing is looked up, so nothing is spent or told |
| `POST`, not let in | that page again, with one refusal for every reason |
| `POST`, let in | the stay's keys; a session begins on this device, where none was |
| likewise, for a card of a key | the card, for the wallet of the guest's phone |

The page sends its address to nobody else; to ourselves it must, or browsers would hide whose form it is.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from http.cookies import CookieError, SimpleCookie
from typing import Final
from urllib.parse import parse_qsl

from functions.guest_keys.app_links import FILES, app_links
from functions.guest_keys.cards import card_asked_for
from shared.domain.kinds import KeyCredentialKind, WalletName
from shared.domain.secret import Secret
from shared.messages.key_page import (
    DO,
    KEY,
    LANGUAGE,
    PROOF,
    KeyOnPage,
    Stationery,
    keys_page,
    sign_in_page,
)
from shared.messages.locales import Locale, choose, spoken
from shared.messages.square import square_svg
from shared.ports.wallets import CardFile
from shared.runtime.pages import READING, Download, Page
from shared.runtime.pages import Visit as Request
from shared.runtime.platform import Platform
from shared.runtime.problems import NotThere
from shared.usecases.guests.services import GuestServices, NothingGiven
from shared.usecases.guests.show_stay import Helped, Question, StayShown, show_stay
from shared.usecases.guests.shown_keys import KeyStanding, ShownKey
from shared.usecases.guests.sign_in import SignedIn, Visit, sign_in

REFUSED: Final = 403
_LINK: Final = re.compile(r"/(ps|fa-AF|ar|en|fr)/([0-9A-Za-z]{22}|key_[0-9A-Z]{26})")
_SECURE, _PLAIN = "__Host-guest", "guest"
MOST_OF_A_QUERY: Final = 512
_NOT_INDEXED: Final = {"x-robots-tag": "noindex, nofollow"}
_SAYS: Final = {
    KeyCredentialKind.PIN_CODE: "code",
    KeyCredentialKind.QR_CODE: "qr",
    KeyCredentialKind.RFID_CARD: "card",
    KeyCredentialKind.MOBILE_APP: "mobile",
    KeyCredentialKind.NFC_TAG: "mobile",
}


async def answer(request: Request, on: Platform) -> Page:
    """Answer one visit."""
    if request.incoming.path in FILES and request.incoming.method in READING:
        return await app_links(request.incoming.path, on)
    link = _LINK.fullmatch(request.incoming.path)
    if link is None:
        raise NotThere("no such page")
    locale, session = _locale(request, link[1]), _session(request)
    paper = Stationery(locale, request.nonce)
    if request.incoming.method in READING:
        return _page(sign_in_page(paper, asks=session is None, refused=False))
    services = GuestServices.on(on)
    visit = Visit(Secret(link[2]), session, request.form.get(PROOF, ""), _address(request))
    try:
        signed = await sign_in(visit, services)
    except NothingGiven:
        return _page(sign_in_page(paper, asks=True, refused=True), REFUSED)
    question = Question(request.form.get(KEY, ""), request.form.get(DO, ""))
    stay = await show_stay(signed, question, services, on.tasks)
    card = await card_asked_for(stay, (question.asked, question.about), signed.tenant, paper, on)
    cookie = _cookie(request, signed)
    if isinstance(card, CardFile):
        return Page("", 200, {**_NOT_INDEXED, **cookie}, Download(card.media_type, card.body, card.name))
    saves = {question.about: {WalletName(question.asked): card.address}} if card is not None else {}
    return _page(_keys(stay, paper, saves), cookie=cookie)


Saves = Mapping[str, Mapping[WalletName, Secret[str]]]


def _keys(stay: StayShown, paper: Stationery, saves: Saves) -> str:
    named = replace(paper, hotel=stay.hotel, phone=stay.phone, colour=stay.colour)
    shown = [
        replace(_on_page(key, helped), wallets=stay.offers(key), saves=saves.get(key.id, {}))
        for key, helped in stay.keys
    ]
    return keys_page(named, shown)


def _on_page(key: ShownKey, helped: Helped) -> KeyOnPage:
    is_pin, is_square = (key.kind is each for each in (KeyCredentialKind.PIN_CODE, KeyCredentialKind.QR_CODE))
    return KeyOnPage(
        id=key.id,
        says=_SAYS[key.kind] if key.standing is KeyStanding.WORKS else key.standing.value,
        doors=key.doors,
        window=key.stay,
        turn=None if key.turn is None else (key.turn.value, key.window.end),
        pin=key.secret if is_pin else None,
        square=square_svg(key.secret.reveal()) if is_square and key.secret is not None else None,
        trouble=helped.says,
        renewable=helped.renewable,
    )


def _page(shown: str, status: int = 200, cookie: Mapping[str, str] | None = None) -> Page:
    return Page(shown, status, {**_NOT_INDEXED, **(cookie or {})})


def _locale(request: Request, linked: str) -> Locale:
    query = dict(parse_qsl(request.incoming.query_string[:MOST_OF_A_QUERY]))  # mail trackers add to links
    wanted = (request.form.get(LANGUAGE), query.get(LANGUAGE), linked)
    return choose(each for each in wanted if spoken(each))


def _session(request: Request) -> Secret[str] | None:
    try:
        cookies = SimpleCookie(request.incoming.headers.get("cookie", "")[:4096])
    except CookieError:
        return None
    found = cookies.get(_SECURE) or cookies.get(_PLAIN)
    return Secret(found.value) if found is not None and found.value else None


def _cookie(request: Request, signed: SignedIn) -> Mapping[str, str]:
    """Return the header that keeps a session at the guest's device; Lax, or a tap in a mail would lose it."""
    if signed.begun is None:
        return {}
    encrypted = request.incoming.headers.get("x-forwarded-proto") == "https"
    name, more = (_SECURE, "; Secure") if encrypted else (_PLAIN, "")
    life = f"Path=/; Max-Age={signed.until_seconds}; HttpOnly; SameSite=Lax{more}"
    return {"set-cookie": f"{name}={signed.begun.reveal()}; {life}"}


def _address(request: Request) -> str:
    """Return from where somebody comes, as the platform's own front end noted it last."""
    return request.incoming.headers.get("x-forwarded-for", "").rpartition(",")[2].strip()
