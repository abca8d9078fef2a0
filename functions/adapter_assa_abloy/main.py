"""Entry point of Assa Abloy's adapter."""

from shared.runtime.adapter import OpenVendor, adapter


@adapter
def adapter_assa_abloy() -> OpenVendor:
    """Make one attempt at the key of a saga, or at taking it back."""
    from shared.vendors.assa_abloy.adapter import open_vendor

    return open_vendor
