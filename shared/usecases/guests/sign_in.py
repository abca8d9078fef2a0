"""A guest comes by a link: the link is spent, and a session begins on the guest's device.

The first row that applies counts. Every *no* is the same `NothingGiven`; looking at a page asks nothing here.

| the link | the visitor | what comes of it |
|---|---|---|
| unknown, over, or guessed wrong five times | anybody | no |
| spent or not | with a session of its stay | yes; an unspent one is spent |
| spent | without | no, and it is noted: somebody else may have the link |
| not spent | with the second fact | yes: it is spent, and a session begins |
| not spent | wrong about it, or without | no; what was wrong is counted |
| printed: a key's id, no secret | with the phone's digits | yes; it is never spent, for it proves nothing |
| likewise, and somebody guesses at this very instant | with the phone's digits | no: one of them is heard |

A link is spent by compare-and-set before anything is opened for the guest: of two who spend it, one wins. The
session is kept before: whoever dies in between leaves one whose secret nobody has, and a link that is good.
"""

import hmac
import unicodedata
from dataclasses import dataclass
from typing import Final

from shared.domain.ids import CredentialId, ReservationId, TenantId
from shared.domain.secret import Secret
from shared.ledger.guest_contacts import GuestContacts
from shared.ledger.guest_tokens import (
    PRINTED,
    GuestSession,
    GuestSessions,
    GuestToken,
    GuestTokens,
    draw_token,
)
from shared.ports.documents import StaleVersion
from shared.usecases.guests.guesses import Guesses
from shared.usecases.guests.services import GuestServices, NothingGiven

LONGEST_PROOF: Final = 64
LAST_OF_PHONE: Final = 4


@dataclass(frozen=True, slots=True)
class Visit:
    """What somebody brings: the link's token, perhaps a session, perhaps a second fact, and from where."""

    token: Secret[str]
    session: Secret[str] | None = None
    proof: str = ""
    address: str = ""


@dataclass(frozen=True, slots=True)
class SignedIn:
    """Whose stay somebody may ask about; `begun` is the session that began with it."""

    tenant: TenantId
    reservation: ReservationId
    credential: CredentialId
    begun: Secret[str] | None
    until_seconds: int


async def sign_in(visit: Visit, on: GuestServices) -> SignedIn:
    """Let a guest in by a link, or raise NothingGiven."""
    tokens = GuestTokens(on.documents)
    kept = await tokens.find(visit.token)
    if kept is None:
        await Guesses(on).count(visit.address)
        raise NothingGiven
    if not kept.usable(on.now):
        raise NothingGiven
    sessions = GuestSessions(on.documents.tenant(kept.tenant))
    if await sessions.of_stay(visit.session, kept.reservation, on.now):
        return await _again(visit, kept, tokens, on)
    if kept.spent is not None:
        on.log.warning("a spent link was tried again", **_named(kept))
        raise NothingGiven
    return await _proven(visit, kept, tokens, on)


async def _again(visit: Visit, kept: GuestToken, tokens: GuestTokens, on: GuestServices) -> SignedIn:
    """Let in who has a session of the stay; the link cannot be another's any more."""
    if kept.spent is None and visit.session is not None and kept.channel != PRINTED:
        await _spend(visit, kept.spent_by(visit.session, on.now), tokens)
    return _signed_in(kept, None, on)


async def _proven(visit: Visit, kept: GuestToken, tokens: GuestTokens, on: GuestServices) -> SignedIn:
    """Let in who knows the second fact: the link is spent for the session that begins."""
    if not await _knows(visit.proof, kept, on):
        if visit.proof.strip():
            on.log.seldom("a guest's second fact was wrong", kept.channel, **_named(kept))
            await _spend(visit, kept.guessed_wrong(), tokens)
        raise NothingGiven
    session = draw_token(on.entropy)
    sessions = GuestSessions(on.documents.tenant(kept.tenant))
    await sessions.begin(session, GuestSession(reservation=kept.reservation, expires=kept.expires))
    # A printed link stays as it is, but is kept once more: of many guesses at once, one is heard.
    after = kept if kept.channel == PRINTED else kept.spent_by(session, on.now)
    await _spend(visit, after, tokens)
    on.log.info("a guest signed in by a link", channel=kept.channel, **_named(kept))
    return _signed_in(kept, session, on)


async def _spend(visit: Visit, changed: GuestToken, tokens: GuestTokens) -> None:
    try:
        await tokens.change(visit.token, changed)
    except StaleVersion:
        raise NothingGiven from None  # somebody else was first


async def _knows(proof: str, kept: GuestToken, on: GuestServices) -> bool:
    """Say whether somebody knows the last digits of the guest's phone, or the booking's own number."""
    said = folded(proof)
    if not said or len(proof) > LONGEST_PROOF:
        return False
    # A booking's number may be printed on the same sheet.
    numbers = (kept.reservation, kept.reservation.removeprefix(ReservationId.prefix))
    facts = [] if kept.channel == PRINTED else [folded(each) for each in numbers]
    contact = await GuestContacts(on.documents.tenant(kept.tenant), on.cipher).find(kept.reservation)
    if contact is not None and contact.phone is not None:
        digits = "".join(each for each in folded(contact.phone.reveal()) if each.isdigit())
        facts += [digits[-LAST_OF_PHONE:]] if len(digits) >= LAST_OF_PHONE else []
    matches = [hmac.compare_digest(said.encode(), fact.encode()) for fact in facts]
    return any(matches)


def folded(text: str) -> str:
    """Return what somebody typed as it is compared: any script's digits, no spaces, no case."""
    plain = (str(unicodedata.digit(each, each)) for each in unicodedata.normalize("NFKC", text))
    return "".join(each for each in "".join(plain).casefold() if each.isalnum() or each in "_-")


def _signed_in(kept: GuestToken, begun: Secret[str] | None, on: GuestServices) -> SignedIn:
    lasts = int((kept.expires - on.now).total_seconds())
    return SignedIn(kept.tenant, kept.reservation, kept.credential, begun, lasts)


def _named(kept: GuestToken) -> dict[str, str]:
    return {"tenant": kept.tenant, "reservation": kept.reservation, "keyCredentialId": kept.credential}
