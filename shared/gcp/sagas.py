"""Sagas on Workflows: executions of the deployed files, and the callbacks that wake them."""

import re
from collections.abc import Mapping
from typing import Any, Final

import orjson

from shared.gcp.access import AccessTokens
from shared.gcp.clients import Connect
from shared.gcp.settings import GoogleSettings
from shared.ports.saga_limits import encoded_argument
from shared.ports.sagas import (
    CallbackGone,
    Execution,
    ExecutionState,
    SagaError,
    UnknownExecution,
    UnknownWorkflow,
)
from shared.ports.trouble import ServiceTrouble
from shared.vendor_kit.http import Call, CallFault, Http

TIMEOUT_SECONDS: Final = 20.0
GONE, BUSY = 404, 429
_WORKFLOW: Final = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")
_EXECUTION: Final = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}/[A-Za-z0-9_-]{1,128}")
_HOST: Final = r"https://workflowexecutions(?:\.[a-z0-9-]+\.rep)?\.googleapis\.com/v1"
_WAITING: Final = (
    r"(?:workflows/[A-Za-z0-9_-]+/executions/[A-Za-z0-9_-]+/)?callbacks/[A-Za-z0-9_-]+(?:/[A-Za-z0-9_-]+)?"
)


class WorkflowExecutions:
    """Executions, known by `workflow/execution`.

    A start that found no service is made once more, for a channel that slept is told so once. It may begin a
    second execution: starts are at-least-once anyway, and only one execution is let go on.
    """

    def __init__(self, connect: Connect, settings: GoogleSettings, http: Http, tokens: AccessTokens) -> None:
        self._connect, self._http, self._tokens = connect, http, tokens
        # Google names a project by its number or its id.
        place = rf"projects/(?:{re.escape(settings.project)}|[0-9]+)/locations/{settings.workflow_location}"
        self._callback = re.compile(f"{_HOST}/{place}/{_WAITING}")
        self._parent = f"projects/{settings.project}/locations/{settings.workflow_location}/workflows"

    async def start(self, workflow: str, argument: Mapping[str, Any]) -> str:
        """Begin an execution and return its id; a repeated call begins another."""
        text = encoded_argument(argument).decode()
        if not _WORKFLOW.fullmatch(workflow):
            raise _unknown_workflow(workflow)
        from google.api_core.exceptions import NotFound

        request = {"parent": f"{self._parent}/{workflow}", "execution": {"argument": text}}
        try:
            made = await self._begun(request)
        except NotFound:
            raise _unknown_workflow(workflow) from None
        return f"{workflow}/{made.name.rpartition('/')[2]}"

    async def _begun(self, request: Mapping[str, Any]) -> Any:
        try:
            return await self._connect().create_execution(request, retry=None, timeout=TIMEOUT_SECONDS)
        except ServiceTrouble:
            return await self._connect().create_execution(request, retry=None, timeout=TIMEOUT_SECONDS)

    async def get(self, execution: str) -> Execution | None:
        """Return the execution, or None if it is unknown."""
        if not _EXECUTION.fullmatch(execution):
            return None
        from google.api_core.exceptions import NotFound

        try:
            found = await self._connect().get_execution(
                {"name": self._name(execution)}, timeout=TIMEOUT_SECONDS
            )
        except NotFound:
            return None
        return _execution(execution, found)

    async def cancel(self, execution: str) -> None:
        """Stop the execution; stopping a terminal one changes nothing."""
        if not _EXECUTION.fullmatch(execution):
            raise _unknown_execution(execution)
        from google.api_core.exceptions import FailedPrecondition, NotFound

        try:
            await self._connect().cancel_execution(
                {"name": self._name(execution)}, retry=None, timeout=TIMEOUT_SECONDS
            )
        except NotFound:
            raise _unknown_execution(execution) from None
        except FailedPrecondition:
            return  # it has ended

    async def call_back(self, url: str, body: Mapping[str, Any]) -> None:
        """Wake the execution that waits at a callback URL."""
        if not self._callback.fullmatch(url):
            # Our token goes along, and opens more than a callback.
            raise SagaError("not a callback URL of Workflows: nothing was sent")
        headers = {
            "authorization": f"Bearer {await self._tokens.token()}",
            "content-type": "application/json",
        }
        try:
            answer = await self._http.send(Call("POST", url, headers, orjson.dumps(body), TIMEOUT_SECONDS))
        except CallFault as fault:
            raise ServiceTrouble(f"workflows was not reached ({type(fault).__name__}): ask again") from None
        if answer.status >= 500:
            raise ServiceTrouble(f"workflows is in trouble ({answer.status}): ask again")
        if answer.status == GONE:
            raise CallbackGone("its execution has ended, or never was")
        if answer.status not in {200, BUSY}:  # busy: an earlier call of ours is still to be taken
            raise SagaError(f"the callback endpoint answered {answer.status}")

    def _name(self, execution: str) -> str:
        workflow, _, id_ = execution.partition("/")
        return f"{self._parent}/{workflow}/executions/{id_}"


def _execution(id_: str, found: Any) -> Execution:
    return Execution(
        id_,
        id_.partition("/")[0],
        # A state that Google adds some day is one that we cannot act on.
        ExecutionState.__members__.get(found.state.name, ExecutionState.UNAVAILABLE),
        _value(found.result),
        _value(found.error.payload),
    )


def _value(text: str) -> Any:
    if not text:
        return None
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return text


def _unknown_workflow(workflow: str) -> UnknownWorkflow:
    return UnknownWorkflow(f"no workflow {workflow[:64]!r}: correct the name, or deploy its file")


def _unknown_execution(execution: str) -> UnknownExecution:
    return UnknownExecution(f"no execution {execution[:200]!r}: it was never started, or is too long ago")
