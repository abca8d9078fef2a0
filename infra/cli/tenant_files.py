"""The files of a company's export: what they are proven by, and what every command on companies is told."""

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Final

import orjson
import typer

from infra.cli.problems import Failed, Refused

Json = Mapping[str, Any]
DOCUMENTS: Final = "documents.jsonl"
BOXES: Final = "boxes.jsonl"
MANIFEST: Final = "manifest.json"
FORM: Final = 1
"""Of exports that may be brought to another cell; a change that an older release cannot read is another."""
PROVEN: Final = frozenset({"tenant", "counts", "sha256", "still"})
"""What an export is proven by."""
AGAIN: Final = "export it again once it is at rest"
Tenant = Annotated[str, typer.Argument(help="The company, such as tnt_silk.")]
Folder = Annotated[Path, typer.Argument(help="The folder of an export.")]
By = Annotated[str, typer.Option(help="Who decided, such as usr_7: the log says so.")]
Really = Annotated[
    str | None, typer.Option("--really", help="The company once more; without it nothing is removed.")
]


def proven(folder: Path) -> Json:
    """Return the manifest of an export that is whole and of one moment, or raise what is wrong with it."""
    manifest = _manifest(folder)
    files = [
        (DOCUMENTS, "counts", "sha256"),
        *([(BOXES, "boxes", "boxes_sha256")] if "boxes" in manifest else []),
    ]
    for name, counts, digest in files:
        if _counted(folder, name) != (manifest[counts], manifest[digest]):
            raise _another(folder, f"{name} is not what {MANIFEST} counts")
    if manifest["still"] is not True:
        raise Failed(f"{folder} is of no one moment: the company changed meanwhile", AGAIN)
    return manifest


def lines_of(folder: Path, name: str) -> Iterator[Json]:
    """Yield what stands in a file of an export that was proven."""
    with (folder / name).open("rb") as file:
        yield from map(orjson.loads, file)


def _manifest(folder: Path) -> Json:
    try:
        found = orjson.loads((folder / MANIFEST).read_bytes())
    except OSError:
        raise Refused(f"{folder / MANIFEST} cannot be read", "name the folder of an export") from None
    except orjson.JSONDecodeError:
        found = None
    if not isinstance(found, dict) or not found.keys() >= PROVEN:
        raise _another(folder, f"{MANIFEST} is none of an export")
    return found


def _counted(folder: Path, name: str) -> tuple[Counter[str], str]:
    """Return how many documents of each collection lie in a file of an export, and their digest."""
    counts, whole = Counter[str](), hashlib.sha256()
    try:
        with (folder / name).open("rb") as file:
            for number, written in enumerate(file, 1):
                counts[_collection(folder, f"line {number} of {name}", written)] += 1
                whole.update(written)
    except OSError as error:
        raise _another(folder, f"{name} cannot be read: {error.strerror}") from None
    return counts, whole.hexdigest()


def _collection(folder: Path, where: str, written: bytes) -> str:
    try:
        return str(orjson.loads(written)["collection"])
    except (orjson.JSONDecodeError, LookupError, TypeError):
        raise _another(folder, f"{where} is no document") from None


def _another(folder: Path, why: str) -> Failed:
    remedy = "export it again, or look for the copy that is"
    return Failed(f"{folder} is not what was exported: {why}", remedy)
