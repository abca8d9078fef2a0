"""Workflows: its executions API before the interpreter that the embedded cloud runs the same files with."""

from collections.abc import Callable
from typing import Any

import orjson
from google.cloud.workflows.executions_v1.types import (
    CancelExecutionRequest,
    CreateExecutionRequest,
    Execution,
    GetExecutionRequest,
)
from grpc import StatusCode

from infra.emulated.serving import Fake, Refusal
from shared.ports.sagas import ArgumentRefused, ExecutionState, UnknownWorkflow


class FakeExecutions(Fake):
    """The executions of one project's workflows."""

    def __init__(self, sagas: Callable[[], Any]) -> None:
        super().__init__(
            "google.cloud.workflows.executions.v1.Executions",
            CreateExecution=(CreateExecutionRequest, Execution),
            GetExecution=(GetExecutionRequest, Execution),
            CancelExecution=(CancelExecutionRequest, Execution),
        )
        self._sagas, self.down = sagas, False

    async def create_execution(self, request: Any) -> Any:
        """Start what is deployed under the name; the argument is JSON in a text."""
        if self.down:
            raise Refusal(StatusCode.UNAVAILABLE, "The service is currently unavailable.")
        workflow = request.parent.rpartition("/workflows/")[2]
        try:
            id_ = await self._sagas().start(workflow, orjson.loads(request.execution.argument))
        except UnknownWorkflow as refusal:
            raise Refusal(StatusCode.NOT_FOUND, str(refusal)) from None
        except ArgumentRefused as refusal:
            raise Refusal(StatusCode.INVALID_ARGUMENT, str(refusal)) from None
        return Execution(name=f"{request.parent}/executions/{id_}", state=Execution.State.ACTIVE)

    async def get_execution(self, request: Any) -> Any:
        """Describe an execution: result and error are JSON in texts too."""
        return self._described(request.name, await self._found(request.name))

    async def cancel_execution(self, request: Any) -> Any:
        """End an execution that has not ended."""
        found = await self._found(request.name)
        if found.state.terminal:
            raise Refusal(StatusCode.FAILED_PRECONDITION, "The execution is not active.")
        await self._sagas().cancel(found.id)
        return self._described(request.name, await self._found(request.name))

    async def _found(self, name: str) -> Any:
        path, _, id_ = name.rpartition("/executions/")
        found = await self._sagas().get(id_)
        if found is None or not path.endswith(f"/workflows/{found.workflow}"):
            raise Refusal(StatusCode.NOT_FOUND, f"Execution {name} not found.")
        return found

    def _described(self, name: str, found: Any) -> Any:
        described = Execution(name=name, state=Execution.State[found.state.name])
        if found.state is ExecutionState.SUCCEEDED:
            described.result = orjson.dumps(found.result).decode()
        if found.state is ExecutionState.FAILED:
            plain = isinstance(found.error, str)
            described.error.payload = found.error if plain else orjson.dumps(found.error).decode()
        return described
