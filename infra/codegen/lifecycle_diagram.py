"""The state diagrams in the domain's README, drawn from the tables the code obeys."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from shared.domain.grant_lifecycle import GRANT_TABLE, Intended
from shared.domain.lifecycle import TABLE, name_of
from shared.domain.master_key import MASTER_KEY_TABLE, MasterKeyState
from shared.domain.states import Requested

ROOT: Final = Path(__file__).parents[2]
README: Final = Path("shared/domain/README.md")

Table = Mapping[Any, Mapping[Any, Any]]


def generate() -> dict[Path, str]:
    """Return the README with every diagram drawn anew."""
    text = (ROOT / README).read_text(encoding="utf-8")
    for name, diagram in _diagrams().items():
        text = fill(text, name, diagram)
    return {README: text}


def _diagrams() -> dict[str, str]:
    return {
        "key credential": draw(TABLE, Requested),
        "grant": draw(GRANT_TABLE, Intended),
        "master key": draw(MASTER_KEY_TABLE, MasterKeyState.REQUESTED),
    }


def draw(table: Table, start: Any) -> str:
    """Return a table as a Mermaid state diagram, in the table's own order."""
    arrows = [
        f"    {_name(state)} --> {_name(target)}: {_command(command)}"
        for state, row in table.items()
        for command, target in row.items()
    ]
    ends = [f"    {_name(state)} --> [*]" for state, row in table.items() if set(row.values()) <= {state}]
    return "\n".join(["```mermaid", "stateDiagram-v2", f"    [*] --> {_name(start)}", *arrows, *ends, "```"])


def fill(text: str, name: str, diagram: str) -> str:
    """Put a diagram between its markers; a README without them is an error, not a silent skip."""
    begin, end = f"<!-- generated: {name} -->", f"<!-- end: {name} -->"
    pattern = re.compile(re.escape(begin) + r".*?" + re.escape(end), re.DOTALL)
    filled, found = pattern.subn(lambda _: f"{begin}\n{diagram}\n{end}", text)
    if found != 1:
        raise ValueError(f"{README}: has {found} places for '{name}'. Add {begin} and {end} once")
    return filled


def _name(state: Any) -> str:
    return name_of(state) if isinstance(state, type) else str(state)


def _command(command: Any) -> str:
    return command.__name__ if isinstance(command, type) else str(command)
