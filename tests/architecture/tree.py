"""The repository as the gates see it: its files, their syntax and their import graph."""

import ast
import fnmatch
import importlib
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import grimp

from infra.manifest.load import Manifest, ManifestRefused, load_manifest

ROOT = Path(__file__).parents[2]
PRODUCT = ("edge_agent", "functions", "infra", "shared")
TEXT = {
    "",
    ".cfg",
    ".css",
    ".html",
    ".ini",
    ".js",
    ".json",
    ".md",
    ".py",
    ".sh",
    ".tf",
    ".toml",
    ".txt",
    ".yaml",
    ".yml",
}


@dataclass(frozen=True)
class Tree:
    """One checkout. What is read is kept, so a tree is looked at only while nobody changes it."""

    root: Path
    project: dict[str, Any]

    @classmethod
    def at(cls, root: Path) -> "Tree":
        """Look at a checkout."""
        return cls(root, tomllib.loads((root / "pyproject.toml").read_text()))

    @cached_property
    def files(self) -> tuple[str, ...]:
        """Every file that is, or is about to be, in the repository."""
        return tuple(path for path in sorted(_listed(self.root)) if (self.root / path).is_file())

    @cached_property
    def python(self) -> tuple[str, ...]:
        """The Python files of product and tests."""
        return tuple(path for path in self.files if path.endswith(".py"))

    @cached_property
    def product(self) -> tuple[str, ...]:
        """The Python files that are deployed or run."""
        return tuple(path for path in self.python if path.partition("/")[0] in PRODUCT)

    @cached_property
    def packages(self) -> tuple[str, ...]:
        """The product's top-level packages that exist."""
        return tuple(sorted({path.partition("/")[0] for path in self.product}))

    @cached_property
    def texts(self) -> dict[str, str]:
        """Every text file's text."""
        texts = (path for path in self.files if Path(path).suffix in TEXT)
        return {path: (self.root / path).read_text(encoding="utf-8") for path in texts}

    @cached_property
    def modules(self) -> dict[str, ast.Module]:
        """The syntax of every Python file."""
        return {path: ast.parse(self.texts[path], path) for path in self.python}

    @cached_property
    def graph(self) -> grimp.ImportGraph:
        """Who imports whom, outside packages included."""
        guarded = [
            name for name in self.project["tool"]["importlinter"]["root_packages"] if name in self.packages
        ]
        with _found_below(self.root):
            return grimp.build_graph(*guarded, include_external_packages=True, cache_dir=None)

    @cached_property
    def manifest(self) -> Manifest | ManifestRefused:
        """What the fleet.yaml files say together, or why they cannot be deployed."""
        try:
            return load_manifest(self.root)
        except ManifestRefused as refusal:
            return refusal

    def folders(self, below: str) -> tuple[str, ...]:
        """Return the names of the folders directly below another, as far as they hold files."""
        head = f"{below}/"
        inside = (path.removeprefix(head) for path in self.files if path.startswith(head))
        return tuple(sorted({path.partition("/")[0] for path in inside if "/" in path}))


def _listed(root: Path) -> list[str]:
    if (root / ".git").exists():
        # A checkout in a container often belongs to somebody else, which git refuses to look at unasked.
        command = ["git", "-C", str(root), "-c", "safe.directory=*", "ls-files", "-z"]
        command += ["--cached", "--others", "--exclude-standard"]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split("\0")
    ignored = [line.rstrip("/") for line in (root / ".gitignore").read_text().split()]
    return list(_walked(root, root, ignored))


def _walked(root: Path, folder: Path, ignored: list[str]) -> Iterator[str]:
    for entry in folder.iterdir():
        if any(fnmatch.fnmatch(entry.name, pattern) for pattern in ignored):
            continue
        if entry.is_dir():
            yield from _walked(root, entry, ignored)
        else:
            yield entry.relative_to(root).as_posix()


@contextmanager
def _found_below(root: Path) -> Iterator[None]:
    # grimp asks the import system where a package lies, and would be told of the installed one.
    loaded = {name: sys.modules.pop(name) for name in PRODUCT if name in sys.modules}
    sys.path.insert(0, str(root))
    importlib.invalidate_caches()
    try:
        yield
    finally:
        sys.path.remove(str(root))
        sys.modules.update(loaded)
