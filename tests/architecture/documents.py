"""What the documents refer to exists, and decisions are kept in one form."""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from posixpath import normpath

from tests.architecture.tree import Tree

LINK = re.compile(r"\]\((?!\w+:|#)([^)#\s]+)(?:#[^)]*)?\)")
CITED = re.compile(r"`((?:edge_agent|functions|infra|schemas|shared|terraform|tests|workflows)/[\w./-]+)`")
DECISIONS = "infra/decisions"
DATED = re.compile(r"^Date: 20\d\d-[01]\d-[0-3]\d\. Status: (accepted|replaced by \d{4})\.$", re.MULTILINE)
HEADINGS = ["## Context", "## Decision", "## Consequences"]


def references_lead_somewhere(tree: Tree) -> Iterator[str]:
    """A link or a path in a document is there."""
    folders = {str(parent) for path in tree.files for parent in PurePosixPath(path).parents}
    for path in tree.files:
        if path.endswith(".md"):
            for target in _targets(path, tree.texts[path]):
                if target not in tree.files and target not in folders:
                    yield f"{path}: {target} does not exist"


def decisions_are_whole(tree: Tree) -> Iterator[str]:
    """A decision has a number of its own, is dated, complete and listed."""
    pages = [path for path in tree.files if re.match(rf"{DECISIONS}/\d{{4}}-[a-z0-9-]+\.md$", path)]
    numbers = [PurePosixPath(path).name[:4] for path in pages]
    for number, path in zip(numbers, pages, strict=True):
        name, text = PurePosixPath(path).name, tree.texts[path]
        if not text.startswith(f"# {number}. ") or numbers.count(number) > 1:
            yield f"{path}: its title, and no other page, has the number {number}"
        if not DATED.search(text) or re.findall(r"^## .*", text, re.MULTILINE) != HEADINGS:
            yield f"{path}: date and status, then {', '.join(HEADINGS)}"
        if f"({name})" not in tree.texts.get(f"{DECISIONS}/README.md", ""):
            yield f"{DECISIONS}/README.md does not list {name}"


def _targets(path: str, text: str) -> Iterator[str]:
    folder = PurePosixPath(path).parent
    yield from (normpath(folder / link) for link in LINK.findall(text))
    yield from (cited.rstrip("/") for cited in CITED.findall(text))


RULES = {
    "References in documents lead somewhere": references_lead_somewhere,
    "Decisions are whole": decisions_are_whole,
}
