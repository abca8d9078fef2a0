"""Public vectors, read from the files that name their sources."""

import json
from pathlib import Path

FOLDER = Path(__file__).with_name("vectors")


def vectors(name):
    """Return one file of vectors."""
    return json.loads((FOLDER / f"{name}.json").read_text())


def named(rows):
    """Return rows of hexadecimal by name."""
    return {row["name"]: bytes.fromhex(row["hex"]) for row in rows}
