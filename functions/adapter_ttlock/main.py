"""Entry point of TTLock's adapter."""

from shared.runtime.adapter import OpenVendor, adapter


@adapter
def adapter_ttlock() -> OpenVendor:
    """Make one attempt at the key of a saga, or at taking it back."""
    from shared.vendors.ttlock.adapter import open_vendor

    return open_vendor
