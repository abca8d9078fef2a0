"""Where an adapter function works: one vendor's port, opened for one property of one tenant."""

from dataclasses import dataclass
from typing import Final

from shared.domain.errors import InvalidInput
from shared.domain.ids import PropertyId, TenantId
from shared.domain.kinds import VendorCode
from shared.domain.lock_errors import LockErrorCause, VendorUnreachable
from shared.domain.secret import Secret
from shared.ledger.sealed_keys import SealedKeys
from shared.ports.lock import LockVendor
from shared.ports.vault import SecretMissing, Secrets
from shared.usecases.estate import Estate
from shared.vendor_kit.binding import Binding, Means, OpenVendor

NO_ACCOUNT: Final = "account_missing"


@dataclass(frozen=True, slots=True)
class LockDesk:
    """One vendor at one property."""

    binding: Binding
    port: LockVendor
    secrets: SealedKeys

    @property
    def vendor(self) -> VendorCode:
        """Whose locks these are."""
        return self.binding.vendor


class LockDesks:
    """The desks of one adapter function: each stays open until something of its property changes."""

    def __init__(
        self, vendor: VendorCode, opener: OpenVendor, estate: Estate, secrets: Secrets, means: Means
    ) -> None:
        self.vendor, self._opener = vendor, opener
        self._estate, self._secrets, self._means = estate, secrets, means
        self._open: dict[tuple[TenantId, PropertyId], LockDesk] = {}

    async def at(self, tenant: TenantId, property_id: PropertyId) -> LockDesk:
        """Return the desk of a property; without a usable account, its vendor is as good as unreachable."""
        binding = await self._binding(tenant, property_id)
        desk = self._open.get((tenant, property_id))
        if desk is None or desk.binding != binding:
            desk = self._open[tenant, property_id] = self._opened(binding)
        return desk

    async def _binding(self, tenant: TenantId, property_id: PropertyId) -> Binding:
        premises = await self._estate.premises(tenant, property_id)
        return Binding(
            vendor=self.vendor,
            tenant=tenant,
            property=premises.property,
            devices=premises.of_vendor(self.vendor),
            policy=premises.policy,
            account=await self._account(tenant, property_id),
        )

    async def _account(self, tenant: TenantId, property_id: PropertyId) -> Secret[bytes]:
        try:
            return (await self._secrets.latest(account_secret(self.vendor, tenant, property_id))).value
        except SecretMissing:
            raise self._closed() from None

    def _opened(self, binding: Binding) -> LockDesk:
        try:
            port = self._opener(binding, self._means)
        except InvalidInput:
            raise self._closed() from None
        sealed = self._means.sealed.tenant(binding.tenant)
        return LockDesk(binding, port, SealedKeys(sealed, self._means.cipher, self.vendor))

    def _closed(self) -> VendorUnreachable:
        return VendorUnreachable(vendor=self.vendor, cause=LockErrorCause(NO_ACCOUNT))


def account_secret(vendor: VendorCode, tenant: TenantId, property_id: PropertyId) -> str:
    """Return the name of the secret that holds a property's account at a vendor."""
    return f"lock-{vendor}-{tenant}-{property_id}-api"
