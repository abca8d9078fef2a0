"""The losses that somebody accepted for a home, until they are reconciled and their note is deleted."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

Loss = Mapping[str, Any]
"""When it was accepted, what was found, and where that is kept, if there was anything."""


def losses_file(home: Path) -> Path:
    """Return where the losses of a home are noted."""
    from infra.local.upkeep import LOSSES

    return home / LOSSES


def accepted_losses(home: Path) -> list[Loss]:
    """Return every loss that is noted, the last one last; what cannot be read is none."""
    try:
        notes = losses_file(home).read_text(encoding="utf-8").splitlines()
        return [json.loads(note) for note in notes]
    except (OSError, ValueError):
        return []


def told_of(loss: Loss) -> str:
    """Return what a loss that was just accepted means for the fleet that goes on."""
    unknown = "this fleet knows no tenant, booking or key of before"
    if loss["kept_as"] is None:
        return f"{loss['finding']}; nothing was left to read: {unknown}"
    taken = f"what could be read of it was taken over, and if nothing could, {unknown}"
    return f"{loss['finding']}; all that was found is kept in {loss['kept_as']}; {taken}"
