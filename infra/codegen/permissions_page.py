"""The page of permissions, written from the table the code obeys."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from shared.domain.permissions import FRESH_FOR, RULES, Permission, Role, Rule, Where

PAGE: Final = Path("infra/docs/permissions.md")
OWNED: Final = (str(PAGE),)

_HEAD: Final = f"""# Who may do what

Written by `python -m infra.codegen` from `shared/domain/permissions.py`.
What is not said here is not allowed.

- **where**: at the properties a person works at, or for the company as a whole.
- **fresh**: asks for a sign-in of the last {FRESH_FOR.seconds // 60} minutes; a service account has none.
- **set by tenant**: a tenant may say itself which roles hold it (A §9.1).
- **integrators**: a service account of the tenant may be given it.

A thing at another property, or of another tenant, is answered as if it were not there.

| permission | allows | where | terms | roles |
|---|---|---|---|---|
"""


def generate() -> dict[Path, str]:
    """Return the page."""
    return {PAGE: _HEAD + _lines(_row(each, rule) for each, rule in RULES.items()) + "\n" + _by_role()}


def _row(permission: Permission, rule: Rule) -> str:
    held = ", ".join(role for role in Role if role in rule.roles) or "-"
    terms = ", ".join(_terms(rule)) or "-"
    return f"| `{permission}` | {rule.meaning} | {rule.where} | {terms} | {held} |"


def _terms(rule: Rule) -> Iterator[str]:
    if rule.fresh:
        yield "fresh"
    if rule.configurable:
        yield "set by tenant"
    if rule.integrators:
        yield "integrators"


def _by_role() -> str:
    head = "## By role\n\nMarked with a star: for the company as a whole.\n\n| role | holds |\n|---|---|\n"
    return head + _lines(f"| {role} | {_held(role)} |" for role in Role)


def _held(role: Role) -> str:
    found = [f"`{each}`" + "*" * (rule.where is Where.TENANT) for each, rule in _of(role)]
    return ", ".join(found) or "nothing but its own record"


def _of(role: Role) -> list[tuple[Permission, Rule]]:
    return [(each, rule) for each, rule in RULES.items() if role in rule.roles]


def _lines(rows: Iterable[str]) -> str:
    return "".join(f"{row}\n" for row in rows)
