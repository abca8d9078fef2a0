"""What modules and tests are called, and where tests lie."""

import ast
import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from tests.architecture.tree import Tree

SAYS_NOTHING = {"base", "common", "helper", "helpers", "manager", "managers", "misc", "util", "utils"}
MAY_SKIP = {
    "tests/browser/installed.py": "a browser is a program of its own; the pages' HTML is read without one",
    "tests/edge/installed.py": "Bluetooth's bus and systemd are Linux's own, and PyInstaller is not pinned",
    "tests/soak/deployed/installed.py": "a clean environment is installed from a package index",
    "tests/support/examiners.py": "whether all else holds of the API is asked without them",
    "tests/terraform/installed.py": "Terraform is a program of its own; infra/terraform checks without it",
    "tests/emulators/installed.py": "Google's emulators come with its SDK, which not everybody has",
}
"""What is asked of a machine only if it can; the embedded cloud's tests of the same always run."""
UNFAILING = re.compile(r"pytest\.(mark\.(skip|skipif|xfail)|skip|xfail|importorskip)\b")


def modules_are_named_from_the_domain(tree: Tree) -> Iterator[str]:
    """A name such as utils invites everything and says nothing."""
    for path in tree.python:
        for part in PurePosixPath(path).with_suffix("").parts:
            if part in SAYS_NOTHING:
                yield f"{path}: {part} says nothing: name it for what it does"


def tests_mirror_the_tree(tree: Tree) -> Iterator[str]:
    """A unit test lies where its subject lies: in its package's folder, or in one named after its module."""
    sources = {PurePosixPath(path).with_suffix("") for path in tree.product}
    sources |= {PurePosixPath(path).parent for path in tree.product}
    for path in tree.python:
        test = PurePosixPath(path)
        if test.is_relative_to("tests/unit") and test.parent.relative_to("tests/unit") not in sources:
            yield f"{path}: its folder is neither a package nor a module: move it beside its subject"


def tests_are_no_packages(tree: Tree) -> Iterator[str]:
    """Tests are collected by path; an __init__.py would make two files of one name collide."""
    for path in tree.files:
        if path.startswith("tests/") and path.endswith("/__init__.py"):
            yield f"{path}: delete it"


def tests_always_run(tree: Tree) -> Iterator[str]:
    """A skipped test proves nothing, and an expected failure hides the next one."""
    for path in tree.python:
        if path.startswith("tests/") and path not in MAY_SKIP:
            for node in ast.walk(tree.modules[path]):
                if isinstance(node, ast.Attribute) and UNFAILING.match(ast.unparse(node)):
                    yield f"{path}:{node.lineno}: {ast.unparse(node)}: make it run, or delete it"


RULES = {
    "Modules are named from the domain": modules_are_named_from_the_domain,
    "Unit tests mirror the tree": tests_mirror_the_tree,
    "Tests are no packages": tests_are_no_packages,
    "Tests always run": tests_always_run,
}
