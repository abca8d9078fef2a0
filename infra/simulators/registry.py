"""Which vendors are simulated: a folder here that has an `app` module with a `VENDOR` is one."""

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from infra.simulators.kit.vendor import SimulatedVendor

HERE: Final = Path(__file__).parent
KIT: Final = "kit"


class NotSimulated(Exception):
    """No folder here simulates such a vendor."""


def simulated_vendors() -> tuple[str, ...]:
    """Return the codes of the vendors that are simulated, such as acme-locks for the folder acme_locks."""
    folders = (app.parent.name for app in HERE.glob("*/app.py"))
    return tuple(sorted(name.replace("_", "-") for name in folders if name != KIT))


def simulated_vendor(code: str) -> "SimulatedVendor[Any]":
    """Return a vendor's simulation by its code."""
    known = simulated_vendors()
    if code not in known:
        raise NotSimulated(f"no simulator of {code[:64]!r}: name one of {', '.join(known)}")
    vendor: SimulatedVendor[Any] = import_module(f"infra.simulators.{code.replace('-', '_')}.app").VENDOR
    return vendor
