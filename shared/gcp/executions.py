"""Executions on Workflows: listed by its client, step by step by its JSON API, which alone tells steps."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

import orjson

from shared.gcp.clients import Connect
from shared.gcp.rest import Request, Rest, parsed
from shared.gcp.settings import GoogleSettings
from shared.ports.executions import ExecutionSummary, Happening
from shared.ports.sagas import ExecutionState, UnknownExecution, UnknownWorkflow

API: Final = "https://workflowexecutions.googleapis.com/v1"
TIMEOUT_SECONDS: Final = 20.0
GONE: Final = 404
_EXECUTION: Final = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}/[A-Za-z0-9_-]{1,128}")
_WORKFLOW: Final = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")
_FAILED: Final = "STATE_FAILED"


class ExecutionRecords:
    """What Workflows keeps of executions, for ninety days."""

    def __init__(self, connect: Connect, rest: Rest, settings: GoogleSettings) -> None:
        self._connect, self._rest = connect, rest
        self._workflows = f"projects/{settings.project}/locations/{settings.workflow_location}/workflows"

    async def listed(
        self, workflow: str, *, state: ExecutionState | None = None, limit: int = 50
    ) -> Sequence[ExecutionSummary]:
        """Return a workflow's executions, newest first."""
        if not _WORKFLOW.fullmatch(workflow):
            raise _unknown_workflow(workflow)
        request = {"parent": f"{self._workflows}/{workflow}", "page_size": limit, "view": 2}
        if state is not None:
            request["filter"] = f'state="{state.value}"'
        found: list[ExecutionSummary] = []
        while len(found) < limit:
            page = await self._page(workflow, request)
            found += [_summary(workflow, each) for each in page.executions]
            if not page.next_page_token:
                break
            request["page_token"] = page.next_page_token
        return found[:limit]

    async def history(self, execution: str) -> Sequence[Happening]:
        """Return the steps of an execution, in order."""
        if not _EXECUTION.fullmatch(execution):
            raise _unknown_execution(execution)
        workflow, _, id_ = execution.partition("/")
        url = f"{API}/{self._workflows}/{workflow}/executions/{id_}/stepEntries"
        entries: list[Mapping[str, Any]] = []
        token = ""
        while True:
            query = {"pageSize": "1000", "orderBy": "entryId", **({"pageToken": token} if token else {})}
            answer = await self._rest.ask(Request("GET", url, query), expects=frozenset({200, GONE}))
            if answer.status == GONE:
                raise _unknown_execution(execution)
            page = parsed(answer)
            entries += page.get("stepEntries", ())
            token = page.get("nextPageToken", "")
            if not token:
                return [each for entry in entries for each in _happenings(entry)]

    async def _page(self, workflow: str, request: Mapping[str, Any]) -> Any:
        from google.api_core.exceptions import NotFound

        try:
            return await self._connect().list_executions(dict(request), timeout=TIMEOUT_SECONDS)
        except NotFound:
            raise _unknown_workflow(workflow) from None


def _summary(workflow: str, found: Any) -> ExecutionSummary:
    return ExecutionSummary(
        id=f"{workflow}/{found.name.rpartition('/')[2]}",
        workflow=workflow,
        saga=_saga(found.argument),
        state=ExecutionState.__members__.get(found.state.name, ExecutionState.UNAVAILABLE),
        started_at=found.start_time,
        ended_at=found.end_time or None,
    )


def _saga(argument: str) -> str | None:
    given = orjson.loads(argument or "null")
    return given.get("saga_id") if isinstance(given, dict) else None


def _happenings(entry: Mapping[str, Any]) -> list[Happening]:
    """Return a step, and that it failed where it did: what an exception says is not ours to show."""
    branch = str(entry.get("stepEntryMetadata", {}).get("threadId", ""))
    began, ended = str(entry.get("createTime", "")), str(entry.get("updateTime", ""))
    step = Happening("step", branch, str(entry.get("step", "")), at=began)
    failed = entry.get("state") == _FAILED
    return [step, Happening("error", branch, str(entry.get("step", "")), at=ended)] if failed else [step]


def _unknown_workflow(workflow: str) -> UnknownWorkflow:
    return UnknownWorkflow(f"no workflow {workflow[:64]!r}: correct the name, or deploy its file")


def _unknown_execution(execution: str) -> UnknownExecution:
    return UnknownExecution(f"no execution {execution[:200]!r}: it was never started, or is too long ago")
