"""A site: one property's locks of one vendor, which are looked at, heard and compared together."""


def site_of(property_id: str, vendor: str) -> str:
    """Return what a site is called."""
    return f"{property_id}.{vendor}"
