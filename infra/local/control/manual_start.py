"""Executions started by hand: refused without what they need, and with a warning where others start them."""

from collections.abc import Mapping
from typing import Any, Final

from infra.local.sagas.service import LocalSagas
from shared.domain.errors import InvalidInput
from shared.keywork.start import WORKFLOWS

BY_LEDGER: Final = frozenset(WORKFLOWS)
SWEEP: Final = (
    "keyfleet schedule run sweep-due announces and begins whatever is due, "
    "and keyfleet ask-again KEY asks the vendor of one that waits"
)


async def start_by_hand(sagas: LocalSagas, body: Mapping[str, Any]) -> dict[str, Any]:
    """Start what is asked for, and return its id with what the operator should know."""
    workflow = str(body.get("workflow", ""))
    argument = _argument(sagas, workflow, body.get("argument"))
    execution = await sagas.start(workflow, argument)
    return {"execution": execution, "warnings": [_warning(workflow)] if workflow in BY_LEDGER else []}


def _argument(sagas: LocalSagas, workflow: str, given: Any) -> Mapping[str, Any]:
    required = sagas.required(workflow)
    if given is None and required:
        otherwise = f"; the ledger starts {workflow} itself: {SWEEP}" if workflow in BY_LEDGER else ""
        problem = f"{workflow} does not run without {', '.join(required)}"
        raise InvalidInput("argument", problem, f"pass --args with a JSON object{otherwise}")
    if not isinstance(given, dict | None):
        raise InvalidInput("argument", "not a JSON object", "pass --args with one JSON object")
    return given or {}


def _warning(workflow: str) -> str:
    return f"{workflow} is started by the ledger, and by hand it may overtake an announcement: {SWEEP}"
