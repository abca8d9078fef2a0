"""What events to a listener are signed with: drawn here, shown once, two while one follows the other.

| ordered | signed with | for |
|---|---|---|
| first | one | good |
| rotate | the new one and the one before it | a day, then with the new one alone |
| rotate at once | the new one | good |
"""

import base64
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Annotated, ClassVar, Final

from shared.domain.ids import ListenerId
from shared.domain.instants import Moment
from shared.domain.secret import Secret
from shared.domain.stored import Stored
from shared.ledger.reading import read_record
from shared.ports.documents import Delete, Ref
from shared.ports.vault import SealContext
from shared.streams.record import Record
from shared.usecases.outbound.services import Outbound
from shared.vendor_kit.standard_webhooks import PREFIX

PURPOSE: Final = "webhook-signing"
SECRETS: Final = "listener_secrets"
SECRET_BYTES: Final = 32
BOTH_FOR: Final = timedelta(hours=24)


@dataclass(frozen=True, slots=True)
class KeptSecret:
    """A secret, sealed, and until when it counts beside the next; None while it is the newest."""

    sealed: str = field(repr=False)
    until: Annotated[Moment | None, Stored(omitted=True)] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ListenerSecrets(Record):
    """What events to one listener are signed with, the newest first."""

    schema_version: ClassVar[int] = 1

    listener: ListenerId
    secrets: tuple[KeptSecret, ...] = ()

    @property
    def ref(self) -> Ref:
        """Where they are kept."""
        return Ref(SECRETS, self.listener)


async def draw_secret(listener: ListenerId, on: Outbound, *, at_once: bool = False) -> Secret[str]:
    """Draw what a listener's events are signed with from now on, and return it, to be shown once."""
    kept = await _kept(listener, on)
    drawn = PREFIX.decode() + base64.b64encode(on.on.entropy.token(SECRET_BYTES)).decode()
    sealed = await on.on.cipher.seal(_context(listener, on), Secret(drawn.encode()))
    newest = KeptSecret(base64.b64encode(sealed).decode())
    former = () if at_once or not kept.secrets else (KeptSecret(kept.secrets[0].sealed, on.now + BOTH_FOR),)
    news = ListenerSecrets(listener=listener, secrets=(newest, *former), version=kept.version)
    await on.on.sealed.tenant(on.tenant).commit([news.write()])
    return Secret(drawn)


async def secrets_of(listener: ListenerId, on: Outbound) -> list[Secret[bytes]]:
    """Return what events to a listener are signed with now."""
    found, now = await _kept(listener, on), on.now
    return [await _opened(each, listener, on) for each in found.secrets if _counts(each, now)]


async def forget_secrets(listener: ListenerId, on: Outbound) -> None:
    """Destroy what a listener's events were signed with."""
    kept = await _kept(listener, on)
    if kept.version is not None:
        await on.on.sealed.tenant(on.tenant).commit([Delete(kept.ref, kept.version)])


def _counts(secret: KeptSecret, now: datetime) -> bool:
    return secret.until is None or now < secret.until


async def _opened(secret: KeptSecret, listener: ListenerId, on: Outbound) -> Secret[bytes]:
    return await on.on.cipher.open(_context(listener, on), base64.b64decode(secret.sealed))


async def _kept(listener: ListenerId, on: Outbound) -> ListenerSecrets:
    found = await on.on.sealed.tenant(on.tenant).get(Ref(SECRETS, listener))
    return ListenerSecrets(listener=listener) if found is None else read_record(ListenerSecrets, found)


def _context(listener: ListenerId, on: Outbound) -> SealContext:
    return SealContext(PURPOSE, on.tenant, str(listener), "secret")
