"""Entry points of the mock vendor's adapter, and of its webhooks."""

from typing import TYPE_CHECKING

from shared.runtime.adapter import OpenVendor, adapter
from shared.runtime.webhook import webhook

if TYPE_CHECKING:  # what reads webhooks loads with the first
    from shared.vendor_kit.webhook import HookReader


@adapter
def adapter_mock() -> OpenVendor:
    """Make one attempt at the key of a saga, or at taking it back."""
    from shared.vendors.mock.adapter import open_vendor

    return open_vendor


@webhook
def webhook_mock() -> "HookReader":
    """Keep what the vendor tells by itself."""
    from shared.vendors.mock.webhook import MockHooks

    return MockHooks()
