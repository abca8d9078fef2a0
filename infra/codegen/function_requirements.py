"""requirements-functions.txt: what functions need of requirements-dev.txt, with the same pins and hashes."""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from infra.manifest.load import ROOT

FILE: Final = Path("requirements-functions.txt")
LOCK: Final = Path("requirements-dev.txt")
OWNED: Final = (str(FILE),)
OF_TOOLS: Final = frozenset({"cronsim", "rich", "ruamel-yaml", "typer", "zstandard"})
"""Dependencies of the project that only its command and the embedded cloud import."""
EXTRAS: Final = ("google", "witness")
"""What functions need beside the project's own dependencies, each imported where it is used."""
_ENTRY: Final = re.compile(r"^([A-Za-z0-9._-]+)==\S+(?: ; (.+?))? \\$")
_NAME: Final = re.compile(r"^[A-Za-z0-9._-]+")
_NOT_THERE: Final = re.compile(
    r"sys_platform == 'win32'|sys_platform == 'darwin'|python_(full_)?version < '3\.11'"
)
"""Where functions never run."""


@dataclass(frozen=True, slots=True)
class Pinned:
    """One requirement of the lock: its lines, and which others ask for it."""

    lines: tuple[str, ...]
    marker: str
    wanted_by: frozenset[str]


def generate() -> dict[Path, str]:
    """Return the file, by repository path."""
    return {FILE: function_requirements(ROOT)}


@cache
def function_requirements(root: Path) -> str:
    """Return what functions need, in the order of the lock."""
    pins = lock((root / LOCK).read_text(encoding="utf-8"))
    wanted = needed(pins, direct(tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))))
    return "".join(f"{line}\n" for name, each in pins.items() if name in wanted for line in each.lines)


def lock(text: str) -> dict[str, Pinned]:
    """Return the requirements of a lock file, by name."""
    found, lines = {}, text.splitlines()
    starts = [at for at, line in enumerate(lines) if _ENTRY.match(line)]
    for at, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        entry = _ENTRY.match(lines[at])
        if entry is not None:
            wanted_by = frozenset(_wanted_by(lines[at:end]))
            hashes = tuple(line for line in lines[at:end] if not line.lstrip().startswith("#"))
            found[canonical(entry[1])] = Pinned(hashes, entry[2] or "", wanted_by)
    return found


def direct(project: Mapping[str, Any]) -> frozenset[str]:
    """Return what functions ask for themselves."""
    told = project["project"]
    extras = (each for extra in EXTRAS for each in told["optional-dependencies"][extra])
    return frozenset(canonical(_named(each)) for each in (*told["dependencies"], *extras)) - OF_TOOLS


def needed(pins: Mapping[str, Pinned], asked: Iterable[str]) -> frozenset[str]:
    """Return what is asked for, and all that it asks for in turn where functions run."""
    found, more = frozenset[str](), frozenset(asked)
    while more - found:
        found |= more
        more = frozenset(
            name
            for name, each in pins.items()
            if each.wanted_by & found and not _NOT_THERE.search(each.marker)
        )
    return found


def canonical(name: str) -> str:
    """Return a distribution's name as every index spells it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _named(requirement: str) -> str:
    found = _NAME.match(requirement)
    return found[0] if found else requirement


def _wanted_by(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        said = line.strip().removeprefix("#").strip().removeprefix("via").strip()
        if line.lstrip().startswith("#") and said:
            yield canonical(_named(said))
