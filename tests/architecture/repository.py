"""What lies in the repository, and what must not stand in any of its files."""

import json
import re
from collections.abc import Iterator
from functools import partial

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.architecture.tree import Tree

FOLDERS = {"edge_agent", "functions", "infra", "schemas", "shared", "terraform", "tests", "workflows"}
TARGETS = {"bench", "check", "demo", "schemas", "test", "up"}
LOCKS = ("requirements.txt", "requirements-dev.txt", "requirements-functions.txt")
PINNED = re.compile(r"^([A-Za-z0-9._-]+)==(\S+)( ; .+)? \\$")
REQUIREMENT = re.compile(r"^[^\s#-]")
BANNED_DISTRIBUTIONS = {"hid": "its module hides hidapi's: use hidapi"}

# The letters in brackets keep these lines from matching themselves.
UNWANTED = {
    "No registry address": re.compile(
        r"p[y]pi\.org|python[h]osted\.org|registry\.np[m]js|deb\.debi[a]n\.org"
    ),
    "No absolute machine path": re.compile(r"(?<![\w./-])/(?:work|farm|root|home|Users)/\w|\b[A-Z]:\\Users"),
    "No unfinished work": re.compile(r"\b(?:TO[D]O|FIX[M]E|XX[X]|NotImplemented[E]rror)\b"),
    "No credential": re.compile(
        r"BEGIN [A-Z ]*PRIVATE [K]EY|\bAIza[\w-]{35}|\bAKIA[A-Z0-9]{16}|\bgh[po]_\w{36}"
    ),
}


def text_stands_nowhere(tree: Tree, unwanted: re.Pattern[str]) -> Iterator[str]:
    """No text file holds it, in any line."""
    for path, text in tree.texts.items():
        for number, line in enumerate(text.splitlines(), 1):
            if unwanted.search(line):
                yield f"{path}:{number}: {unwanted.search(line)[0]}"


def folders_are_the_agreed_ones(tree: Tree) -> Iterator[str]:
    """The top level is fixed; what starts with a dot belongs to tools."""
    for folder in {path.partition("/")[0] for path in tree.files if "/" in path}:
        if not folder.startswith(".") and folder not in FOLDERS:
            yield f"{folder}/: outside the agreed tree"


def lock_files_hold_no_addresses(tree: Tree) -> Iterator[str]:
    """uv.lock carries registry addresses, so the pinned requirements are the lock (decision 0017)."""
    if any(path.endswith("uv.lock") for path in tree.files):
        yield "uv.lock: git rm --cached uv.lock"
    for path in LOCKS:
        for number, line in enumerate(tree.texts[path].splitlines(), 1):
            if "://" in line or line.startswith("-"):
                yield f"{path}:{number}: an address or an option: run make lock"


def requirements_are_pinned_by_hash(tree: Tree) -> Iterator[str]:
    """Every requirement has one version and at least one hash."""
    for path in LOCKS:
        lines = tree.texts[path].splitlines()
        for number, line in enumerate(lines, 1):
            if REQUIREMENT.match(line) and not (PINNED.match(line) and "--hash=sha256:" in lines[number]):
                yield f"{path}:{number}: {line.split()[0]} is not pinned by version and hash: run make lock"


def requirements_agree_with_the_project(tree: Tree) -> Iterator[str]:
    """Each direct dependency is pinned to a version it allows; both files pin the same versions."""
    runtime, development = _pins(tree, "requirements.txt"), _pins(tree, "requirements-dev.txt")
    direct = tree.project["project"]["dependencies"]
    yield from _disagreements(direct, runtime, "requirements.txt")
    yield from _disagreements(
        direct + tree.project["dependency-groups"]["dev"], development, "requirements-dev.txt"
    )
    for name in sorted(runtime.keys() & BANNED_DISTRIBUTIONS.keys()):
        yield f"requirements.txt: {name}: {BANNED_DISTRIBUTIONS[name]}"
    for name, version in runtime.items():
        if development.get(name) != version:
            yield f"requirements-dev.txt: {name} is not {version} as in requirements.txt: run make lock"


def _disagreements(direct: list[str], pins: dict[str, str], path: str) -> Iterator[str]:
    for line in direct:
        wanted = Requirement(line)
        pinned = pins.get(canonicalize_name(wanted.name))
        if pinned is None or not wanted.specifier.contains(pinned, prereleases=True):
            yield f"{path}: {line} is pinned to {pinned}: run make lock"


def _pins(tree: Tree, path: str) -> dict[str, str]:
    found = (PINNED.match(line) for line in tree.texts[path].splitlines())
    return {canonicalize_name(match[1]): match[2] for match in found if match}


def make_has_its_targets(tree: Tree) -> Iterator[str]:
    """What the README promises can be made."""
    present = set(re.findall(r"^([a-z]+):", tree.texts["Makefile"], re.MULTILINE))
    yield from (f"Makefile: no target {name}" for name in sorted(TARGETS - present))


def requirements_are_installed_as_wheels(tree: Tree) -> Iterator[str]:
    """A source archive runs its own code to be built, with tools that no hash pins (finding L7)."""
    for number, line in enumerate(tree.texts["Makefile"].splitlines(), 1):
        if "--require-hashes" in line and "--only-binary :all:" not in line:
            yield f"Makefile:{number}: takes source archives: say --only-binary :all:"


def schemas_are_json(tree: Tree) -> Iterator[str]:
    """Generated schemas are there and can be read."""
    schemas = [path for path in tree.files if path.startswith("schemas/") and path.endswith(".json")]
    if not schemas:
        yield "schemas/ is empty: run make schemas"
    for path in schemas:
        try:
            json.loads(tree.texts[path])
        except ValueError as error:
            yield f"{path}: {error}"


RULES = {
    "Top-level folders are the agreed ones": folders_are_the_agreed_ones,
    "Lock files hold no addresses": lock_files_hold_no_addresses,
    "Requirements are pinned by hash": requirements_are_pinned_by_hash,
    "Requirements agree with the project": requirements_agree_with_the_project,
    "Make has its targets": make_has_its_targets,
    "Requirements are installed as wheels": requirements_are_installed_as_wheels,
    "Schemas are JSON": schemas_are_json,
    **{name: partial(text_stands_nowhere, unwanted=unwanted) for name, unwanted in UNWANTED.items()},
}
