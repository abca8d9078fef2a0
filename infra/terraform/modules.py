"""The folders of Terraform: each a module, read whole, with what it declares and what it calls."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

from infra.terraform.hcl import Attribute, Block, Reference, parse
from infra.terraform.tokens import Malformed

FOLDER: Final = Path("terraform")


class Unreadable(Exception):
    """A file that is not HCL, told with its path and line."""


@dataclass(frozen=True)
class Module:
    """One folder of .tf files."""

    path: Path
    """Below the repository."""
    files: Mapping[str, Block]

    def placed(self, *kinds: str) -> Iterator[tuple[str, Block]]:
        """Yield the blocks of some kinds, each with the file it stands in."""
        for name, body in self.files.items():
            for block in body.of(*kinds):
                yield f"{self.path / name}:{block.line}", block

    def blocks(self, *kinds: str) -> Iterator[Block]:
        """Yield the blocks of some kinds."""
        return (block for _, block in self.placed(*kinds))

    @cached_property
    def variables(self) -> Mapping[str, Block]:
        """What it takes, by name."""
        return {block.labels[0]: block for block in self.blocks("variable")}

    @cached_property
    def outputs(self) -> Mapping[str, Block]:
        """What it gives, by name."""
        return {block.labels[0]: block for block in self.blocks("output")}

    @cached_property
    def locals(self) -> Mapping[str, Attribute]:
        """What it names for itself."""
        return {each.name: each for block in self.blocks("locals") for each in block.attributes}

    @cached_property
    def calls(self) -> Mapping[str, Block]:
        """The modules it calls, by the name it gives each."""
        return {block.labels[0]: block for block in self.blocks("module")}

    @cached_property
    def resources(self) -> Mapping[tuple[str, str], Block]:
        """Its resources, by type and name."""
        return {(block.labels[0], block.labels[1]): block for block in self.blocks("resource")}

    @cached_property
    def data(self) -> Mapping[tuple[str, str], Block]:
        """What it looks up, by type and name."""
        return {(block.labels[0], block.labels[1]): block for block in self.blocks("data")}

    def references(self) -> Iterator[tuple[str, Reference]]:
        """Yield all that is referred to, with the file it stands in."""
        for name, body in self.files.items():
            for found in body.references():
                yield f"{self.path / name}:{found.line}", found


def modules(root: Path) -> dict[Path, Module]:
    """Return every module below a root, by its path."""
    files = sorted((root / FOLDER).rglob("*.tf"))
    folders = sorted({path.parent for path in files if ".terraform" not in path.parts})
    return {folder.relative_to(root): _read(folder, root) for folder in folders}


def _read(folder: Path, root: Path) -> Module:
    return Module(
        folder.relative_to(root), {path.name: _parsed(path, root) for path in sorted(folder.glob("*.tf"))}
    )


def _parsed(path: Path, root: Path) -> Block:
    try:
        return parse(path.read_text(encoding="utf-8"))
    except Malformed as fault:
        raise Unreadable(f"{path.relative_to(root)}: {fault}") from None
