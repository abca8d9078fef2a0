"""A vendor's adapter is one line of a fleet.yaml: all else follows from the vendor's code."""

from typing import Annotated, Any, Final

from pydantic import StringConstraints

NEXT: Final = "next"
"""Marks the twin of an adapter that is built of the next archive (A §15.5); it works as its adapter."""
VendorName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9-]{1,14}$")]

_SHARED: Final[dict[str, Any]] = {
    "trigger": {"http": "internal"},
    # A turn at a busy gateway may take 40 seconds, and a lock a minute.
    "timeout": 120,
    # A vendor counts the calls of all instances together, and so do we, through the store (decision 0046).
    "max_instances": 60,
    # It alone reads its vendor's accounts, and so it alone takes another into use (decision 0160).
    "roles": ("documents", "sealed", "publish", "secrets-write"),
}


def adapter_fields(vendor: str) -> dict[str, Any]:
    """Return what the descriptor of a vendor's adapter says, unless it says otherwise itself."""
    return {
        **_SHARED,
        "description": f"Makes and takes back keys at {vendor} locks, one attempt a call.",
        "secrets": (f"lock-{vendor}-*-api",),
        "opens": (
            f"vendor-ref-{vendor}",
            f"guest-artifact-{vendor}",
            f"guest-account-{vendor}",
            "blind-index",
            f"next-account-{vendor}",
        ),
    }


def next_name(adapter: str) -> str:
    """Return what the next build of an adapter is called."""
    return f"{adapter}-{NEXT}"


def adapter_name(vendor: str | None) -> str:
    """Return what the adapter of a vendor is called: sagas make its address of the vendor's code."""
    return f"adapter-{vendor}"
