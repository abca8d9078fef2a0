"""Entry point of Generic Wiegand's adapter."""

from shared.runtime.adapter import OpenVendor, adapter


@adapter
def adapter_generic_wiegand() -> OpenVendor:
    """Make one attempt at the key of a saga, or at taking it back."""
    from shared.vendors.generic_wiegand.adapter import open_vendor

    return open_vendor
