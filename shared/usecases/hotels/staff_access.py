"""Who may sign in at a tenant: its issuers, its service accounts, and people who may no more."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Final, TypeVar

from shared.domain.documents import from_document, to_document
from shared.domain.errors import InvalidInput
from shared.domain.ids import IntegratorId, TenantId, UserId
from shared.domain.sign_in import NO_ACCESS, Integrator, TenantAccess
from shared.domain.stored import Documented
from shared.kernel.remembered import Remembered
from shared.ledger.hotel_directory import KNOWN_FOR, HotelDirectory
from shared.ledger.reading import reading
from shared.ledger.service_account import INTEGRATORS
from shared.ports.documents import AlreadyExists, Create, Document, Ref, TenantDocuments, Update

D = TypeVar("D", bound=Documented)
ACCESS: Final = Ref("access", "people")
STOPPED: Final = "stopped_people"
MOST_KNOWN: Final = 1024


@dataclass(frozen=True, slots=True)
class _Found:
    """What a question was answered with; it may be that nothing is there."""

    document: Document | None
    tenant_is_here: bool = True


class StaffAccess:
    """What is kept of sign-ins, remembered for some seconds: whoever is stopped sees nothing after those.

    Who is to change something is asked about anew: from the moment that they are stopped they change nothing.
    """

    def __init__(self, hotels: HotelDirectory, now: Callable[[], datetime]) -> None:
        self._hotels = hotels
        self._known: Remembered[tuple[TenantId, Ref], _Found] = Remembered(now, KNOWN_FOR, MOST_KNOWN)
        # Apart: whoever invents tenants and keys by the thousand must not push out what is true.
        self._asked: Remembered[tuple[TenantId, Ref], _Found] = Remembered(now, KNOWN_FOR)

    async def of(self, tenant: TenantId) -> TenantAccess | None:
        """Return who may sign in at a tenant, or None where there is no such tenant in this cell."""
        found = await self._find(tenant, ACCESS)
        if not found.tenant_is_here:
            return None
        return _read(TenantAccess, found.document) or NO_ACCESS

    async def integrator(self, tenant: TenantId, name: IntegratorId) -> Integrator | None:
        """Return a service account, or None."""
        return _read(Integrator, (await self._find(tenant, Ref(INTEGRATORS, name))).document)

    async def is_stopped(self, tenant: TenantId, user: UserId, *, anew: bool = False) -> bool:
        """Say whether a person may call no more, whatever their token says, or what is remembered."""
        ref = Ref(STOPPED, user)
        if not anew:
            return (await self._find(tenant, ref)).document is not None
        found = await self._look(tenant, ref)
        if found.tenant_is_here:
            self._known.put((tenant, ref), found)
        return found.document is not None

    async def _find(self, tenant: TenantId, ref: Ref) -> _Found:
        known = self._known.get((tenant, ref))
        if known is not None:
            return known
        found = await self._asked.recall((tenant, ref), lambda: self._look(tenant, ref))
        if found.document is not None or (found.tenant_is_here and ref.collection == STOPPED):
            self._known.put((tenant, ref), found)
        return found

    async def _look(self, tenant: TenantId, ref: Ref) -> _Found:
        try:
            store = await self._hotels.admit(tenant)
        except InvalidInput:
            return _Found(None, tenant_is_here=False)
        return _Found(await store.get(ref))


async def register_access(access: TenantAccess, store: TenantDocuments) -> None:
    """Keep who may sign in at a tenant, in place of what was kept before."""
    await _put(ACCESS, access, store)


async def register_integrator(integrator: Integrator, store: TenantDocuments) -> None:
    """Keep a service account, in place of what was kept of it before."""
    await _put(Ref(INTEGRATORS, integrator.id), integrator, store)


async def stop_person(user: UserId, at: datetime, store: TenantDocuments) -> None:
    """Let a person call no more; doing so again changes nothing."""
    try:
        await store.commit([Create(Ref(STOPPED, user), {"schema_version": 1, "at": at.isoformat()})])
    except AlreadyExists:
        return


async def _put(ref: Ref, value: Documented, store: TenantDocuments) -> None:
    kept = await store.get(ref)
    document = to_document(value)
    write = Create(ref, document) if kept is None else Update(ref, document, kept.version)
    await store.commit([write])


def _read(kind: type[D], found: Document | None) -> D | None:
    if found is None:
        return None
    with reading(found):
        return from_document(kind, found.data)
