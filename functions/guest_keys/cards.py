"""Cards of a guest's key for the wallet of their phone: offered where the hotel does, made when asked for.

| asked for | the guest gets |
|---|---|
| nothing | a button for each wallet that the hotel offers, beside a key that works |
| Apple's | a file |
| Google's | the page again, with the address to open beside the key |
| what the hotel does not offer, or has no whole account for | the page again, and a line in the log |
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from shared.domain.errors import InvalidInput
from shared.domain.ids import TenantId
from shared.domain.kinds import KeyCredentialKind, WalletName
from shared.messages.dates import spoken_time
from shared.messages.key_page import Stationery
from shared.messages.particulars import grouped
from shared.messages.square import printed_text
from shared.notify.accounts import fields_of
from shared.notify.apple_pass import AppleAccount, AppleWallet
from shared.notify.google_pass import GoogleAccount, GoogleWallet
from shared.ports.wallets import CardFile, CardLink, CardRefused, KeyCard, Shown, Wallet
from shared.runtime.platform import Platform
from shared.usecases.guests.show_stay import StayShown
from shared.usecases.guests.shown_keys import ShownKey

_OPENERS: Final[Mapping[WalletName, Callable[[Mapping[str, Any]], Wallet]]] = {
    WalletName.APPLE: lambda fields: AppleWallet(AppleAccount.of(fields)),
    WalletName.GOOGLE: lambda fields: GoogleWallet(GoogleAccount.of(fields)),
}


def account_of(wallet: WalletName, tenant: TenantId) -> str:
    """Return what a tenant's account at a wallet is called among secrets."""
    return f"wallet-{wallet.value}-{tenant}-api"


async def card_asked_for(
    stay: StayShown, wanted: tuple[str, str], tenant: TenantId, paper: Stationery, on: Platform
) -> CardFile | CardLink | None:
    """Return the card that a form asks for by wallet and key; None where none is to be had."""
    wallet, about = wanted
    for key, _ in stay.keys:
        if key.id == about and wallet in stay.offers(key):
            return await _made(WalletName(wallet), _card(key, stay, paper), tenant, on)
    return None


async def _made(
    wallet: WalletName, card: KeyCard, tenant: TenantId, on: Platform
) -> CardFile | CardLink | None:
    named = {"tenant": tenant, "keyCredentialId": card.key, "wallet": wallet.value}
    try:
        fields = await fields_of(account_of(wallet, tenant), on.secrets)
        if fields is None:
            raise CardRefused("no account")
        made = _OPENERS[wallet](fields).card(card, on.clock.now())
    except (CardRefused, InvalidInput) as refusal:
        on.log.failure("a card of a key could not be made", refusal, field=refusal.field, **named)
        return None
    on.log.info("a guest was given a card of a key", **named)
    return made


def _card(key: ShownKey, stay: StayShown, paper: Stationery) -> KeyCard:
    page, tongue = paper.tongue.page, paper.tongue
    times = {
        name: spoken_time(at, key.stay.zone, paper.locale, tongue, "long")
        for name, at in (("opens", key.stay.start), ("closes", key.stay.end))
    }
    says = {**times, "doors": ", ".join(key.doors)}
    holds = stay.code_on_cards and key.kind is KeyCredentialKind.PIN_CODE
    pin = key.secret.reveal() if holds and key.secret is not None else ""
    return KeyCard(
        key=key.id,
        hotel=key.hotel,
        title=page["title"],
        language=paper.locale.value,
        lines=tuple(Shown(name, page[name], said) for name, said in says.items()),
        note=f"{page['pass']} {page['local']}",
        begins=key.window.start,
        ends=key.window.end,
        link=printed_text(stay.link_base, paper.locale.value, key.id),
        code=Shown("code", page["code"], grouped(pin)) if pin else None,
    )
