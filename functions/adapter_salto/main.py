"""Entry point of Salto's adapter."""

from shared.runtime.adapter import OpenVendor, adapter


@adapter
def adapter_salto() -> OpenVendor:
    """Make one attempt at the key of a saga, or at taking it back."""
    from shared.vendors.salto.adapter import open_vendor

    return open_vendor
