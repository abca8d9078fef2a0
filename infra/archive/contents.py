"""What the archive holds, byte for byte the same wherever it is packed."""

import json
from collections.abc import Iterator, Mapping
from io import BytesIO
from pathlib import Path
from typing import Final
from zipfile import ZIP_STORED, ZipFile, ZipInfo

from infra.manifest.load import Manifest, load_manifest

TABLE: Final = "entry_points.json"
FOLDERS: Final = ("functions", "shared")
KINDS: Final = frozenset({".html", ".json", ".py", ".toml"})
PAPERS: Final = ("shared/events/examples/",)
"""Data of tests and of readers, which nothing that runs opens."""
REQUIREMENTS: Final = "requirements-functions.txt"
START: Final = "infra/archive/start.py"
EPOCH: Final = (1980, 1, 1, 0, 0, 0)
READABLE: Final = 0o100644 << 16
UNIX: Final = 3


def pack(root: Path, out: Path) -> None:
    """Write the archive of a tree."""
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_bytes(packed(contents(root, load_manifest(root))))


def contents(root: Path, manifest: Manifest) -> dict[str, bytes]:
    """Return every file of the archive, by its path in it."""
    return {
        "main.py": (root / START).read_bytes(),
        "requirements.txt": (root / REQUIREMENTS).read_bytes(),
        TABLE: entry_points(manifest).encode(),
        **{path: (root / path).read_bytes() for path in _deployed(root)},
    }


def entry_points(manifest: Manifest) -> str:
    """Return which module each entry point lives in."""
    table = {each.entry_point: each.module for each in manifest.functions.values()}
    return json.dumps(table, indent=1, sort_keys=True) + "\n"


def packed(files: Mapping[str, bytes]) -> bytes:
    """Return files as a zip: in order, of no time, and not compressed, which every zlib does otherwise."""
    buffer = BytesIO()
    with ZipFile(buffer, "w", ZIP_STORED) as archive:
        for path in sorted(files):
            entry = ZipInfo(path, EPOCH)
            entry.external_attr, entry.create_system = READABLE, UNIX
            archive.writestr(entry, files[path])
    return buffer.getvalue()


def _deployed(root: Path) -> Iterator[str]:
    for folder in FOLDERS:
        for path in (root / folder).rglob("*"):
            name = path.relative_to(root).as_posix()
            if path.suffix in KINDS and path.is_file() and not name.startswith(PAPERS):
                yield name
