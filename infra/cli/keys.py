"""`keyfleet keys`: the keys that seal, and their life after the first day."""

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from infra.cli.address import FleetAddress
from infra.cli.answer import Answer, counted, line, table
from infra.cli.control import ControlPlane

Purpose = Annotated[str | None, typer.Argument(help="One purpose, as keys list shows it; else all.")]


def list_keys(at: FleetAddress) -> Answer:
    """List each purpose's newest key, and how much is sealed with each version that is not destroyed."""
    facts = ControlPlane(at).get("keys")
    rows = sorted(facts["purposes"].items())
    return Answer(facts, (table(("purpose", "newest", "sealed, by version"), map(_row, rows)),))


def rotate(at: FleetAddress, purpose: Purpose = None) -> Answer:
    """Seal with new keys from now on; what is sealed already stays as it is: see reseal."""
    return _done(at, "rotate", purpose, lambda facts: f"from now on version {facts['version']}")


def reseal(at: FleetAddress, purpose: Purpose = None) -> Answer:
    """Seal anew, with the newest key, whatever lies under an older one."""
    return _done(at, "reseal", purpose, lambda facts: f"{counted(facts['resealed'], 'value')} sealed anew")


def retire(at: FleetAddress, purpose: Purpose = None) -> Answer:
    """Destroy older keys that nothing is sealed with any more; older copies of the database need them."""
    return _done(at, "retire", purpose, _retired)


def _retired(facts: Mapping[str, Any]) -> str:
    versions = ", ".join(map(str, facts["retired"]))
    return f"destroyed: version {versions}" if versions else "nothing to destroy"


def _done(at: FleetAddress, what: str, purpose: str | None, said: Any) -> Answer:
    facts = ControlPlane(at).post("keys", body={"do": what, "purpose": purpose})
    return Answer(
        facts, tuple(line(f"{name}: {said(done)}") for name, done in sorted(facts["purposes"].items()))
    )


def _row(row: tuple[str, Mapping[str, Any]]) -> tuple[str, str, str]:
    purpose, facts = row
    sealed = ", ".join(f"v{version}: {count}" for version, count in facts["sealed"].items())
    return purpose, str(facts["newest"]), sealed
