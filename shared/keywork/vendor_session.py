"""Where an adapter function works: one vendor's port, opened for one property of one tenant."""

import contextlib
from collections import OrderedDict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, cast

from shared.domain.errors import InvalidInput
from shared.domain.ids import PropertyId, TenantId
from shared.domain.kinds import KeyCredentialKind, VendorCode
from shared.domain.lock_errors import LockErrorCause, VendorUnreachable
from shared.domain.secret import Secret
from shared.kernel.remembered import Remembered
from shared.kernel.together import gather_both
from shared.ledger.guest_contacts import GuestContacts
from shared.ledger.hotel_directory import KNOWN_FOR, HotelDirectory, HotelSetup
from shared.ledger.sealed_keys import SealedKeys
from shared.ports.lock import LockVendor
from shared.ports.secret_sources import SecretSource, source_of
from shared.ports.trouble import ServiceTrouble
from shared.ports.vault import SecretMissing, Secrets, SecretVersion
from shared.vendor_kit.account_owners import AccountOwners, AccountShared, Owner
from shared.vendor_kit.accounts import account_secret
from shared.vendor_kit.binding import AdapterPorts, Binding, OpenVendor
from shared.vendor_kit.tokens import Unremembered

if TYPE_CHECKING:  # named for what stands in for it
    from shared.ports.documents import DocumentStore

NO_ACCOUNT: Final = "account_missing"
MOST_OPEN: Final = 256
"""Properties whose sessions a process keeps open; beyond them, the one used longest ago is closed."""
SHARED: Final = "account_shared"


@dataclass(frozen=True, slots=True)
class VendorSession:
    """One vendor at one property."""

    premises: HotelSetup
    binding: Binding
    port: LockVendor
    secrets: SealedKeys
    accounts: GuestContacts
    """Where keys on phones are sent to, as far as bookings said."""

    @property
    def vendor(self) -> VendorCode:
        """Whose locks these are."""
        return self.binding.vendor

    def source(self, kind: KeyCredentialKind) -> SecretSource:
        """Return whence the secret of a key of this kind comes here."""
        return source_of(kind, self.port.describe_adapter().sources)


class VendorSessions:
    """The desks of one adapter function: each stays open until something of its property changes."""

    def __init__(
        self,
        vendor: VendorCode,
        opener: OpenVendor,
        hotels: HotelDirectory,
        secrets: Secrets,
        means: AdapterPorts,
    ) -> None:
        self.vendor, self._opener = vendor, opener
        self._estate, self._secrets, self._means = hotels, secrets, means
        self._open: OrderedDict[tuple[TenantId, PropertyId], VendorSession] = OrderedDict()
        self._owners = AccountOwners(means.documents, secrets, vendor)
        self._accounts: Remembered[str, Secret[bytes]] = Remembered(means.clock.now, KNOWN_FOR)

    async def at(self, tenant: TenantId, property_id: PropertyId) -> VendorSession:
        """Return the desk of a property; without a usable account, its vendor is as good as unreachable."""
        premises, account = await self._premises_and_account(tenant, property_id)
        desk = self._open.get((tenant, property_id))
        if desk is None or desk.binding.account is not account:
            await self._claim(account, Owner(tenant, property_id))
        if desk is None or desk.premises is not premises or desk.binding.account is not account:
            desk = self._open[tenant, property_id] = self._opened(tenant, premises, account, desk)
        self._open.move_to_end((tenant, property_id))
        while len(self._open) > MOST_OPEN:
            self._open.popitem(last=False)
        return desk

    def knows(self, tenant: TenantId, property_id: PropertyId) -> bool:
        """Say whether nothing of a property's desk need be read now."""
        account = self._accounts.get(account_secret(self.vendor, tenant, property_id))
        return account is not None and self._estate.knows(tenant, property_id)

    async def foresee(self, tenant: TenantId, property_id: PropertyId) -> None:
        """Read what a desk is made of; of what is amiss, whoever opens it hears."""
        with contextlib.suppress(InvalidInput, VendorUnreachable, ServiceTrouble):
            await self._premises_and_account(tenant, property_id)

    async def _premises_and_account(
        self, tenant: TenantId, property_id: PropertyId
    ) -> tuple[HotelSetup, Secret[bytes]]:
        name = account_secret(self.vendor, tenant, property_id)
        premises, account = self._estate.premises_of_key(tenant, property_id), self._accounts.get(name)
        if account is not None:
            return await premises, account
        return await gather_both(premises, self._account(name))

    async def accounts(self, owner: Owner, version: int | None = None) -> SecretVersion:
        """Return a property's account, as it is used or in one version; SecretMissing where there is none."""
        name = account_secret(self.vendor, owner.tenant, owner.property)
        return await (self._secrets.latest(name) if version is None else self._secrets.version(name, version))

    async def use(self, account: Secret[bytes], owner: Owner) -> int:
        """Take another account into use, and return its version; processes follow within half a minute."""
        return await self._secrets.add(account_secret(self.vendor, owner.tenant, owner.property), account)

    async def destroy(self, version: int, owner: Owner) -> None:
        """Destroy a version of an account that nobody uses."""
        await self._secrets.destroy(account_secret(self.vendor, owner.tenant, owner.property), version)

    async def on_trial(self, account: Secret[bytes], owner: Owner) -> LockVendor:
        """Return the vendor in the name of an account that is not in use, without another's token."""
        premises = await self._estate.premises_of_key(owner.tenant, owner.property)
        await self._claim(account, owner)
        means = replace(self._means, sealed=cast("DocumentStore", Unremembered()))
        return self._opened(owner.tenant, premises, account, None, means).port

    async def _claim(self, account: Secret[bytes], owner: Owner) -> None:
        try:
            await self._owners.claim(account, owner)
        except AccountShared:
            raise self._not_its_own() from None

    async def _account(self, name: str) -> Secret[bytes]:
        try:
            return await self._accounts.recall(name, lambda: self._read(name))
        except SecretMissing:
            raise self._closed() from None

    async def _read(self, name: str) -> Secret[bytes]:
        return (await self._secrets.latest(name)).value

    def _opened(
        self,
        tenant: TenantId,
        premises: HotelSetup,
        account: Secret[bytes],
        standing: VendorSession | None,
        means: AdapterPorts | None = None,
    ) -> VendorSession:
        """Return a desk for what was read anew; the port stays open where that says the same as before."""
        binding = Binding(
            vendor=self.vendor,
            tenant=tenant,
            property=premises.property,
            devices=premises.of_vendor(self.vendor),
            policy=premises.policy,
            account=account,
        )
        if standing is not None and standing.binding == binding:
            return replace(standing, premises=premises, binding=binding)
        try:
            port = self._opener(binding, means or self._means)
        except InvalidInput:
            raise self._closed() from None
        sealed, cipher = self._means.sealed.tenant(tenant), self._means.cipher
        accounts = GuestContacts(self._means.documents.tenant(tenant), cipher, self.vendor)
        return VendorSession(premises, binding, port, SealedKeys(sealed, cipher, self.vendor), accounts)

    def _closed(self) -> VendorUnreachable:
        return VendorUnreachable(vendor=self.vendor, cause=LockErrorCause(NO_ACCOUNT))

    def _not_its_own(self) -> VendorUnreachable:
        return VendorUnreachable(vendor=self.vendor, cause=LockErrorCause(SHARED))
