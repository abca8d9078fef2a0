"""Entry points of TTLock's adapter, and of its webhooks."""

from typing import TYPE_CHECKING

from shared.runtime.adapter import OpenVendor, adapter
from shared.runtime.webhook import webhook

if TYPE_CHECKING:  # what reads webhooks loads with the first
    from shared.vendor_kit.webhook import HookReader


@adapter
def adapter_ttlock() -> OpenVendor:
    """Make one attempt at the key of a saga, or at taking it back."""
    from shared.vendors.ttlock.adapter import open_vendor

    return open_vendor


@webhook
def webhook_ttlock() -> "HookReader":
    """Keep what the vendor tells by itself."""
    from shared.vendors.ttlock.webhook import TTLockHooks

    return TTLockHooks()
