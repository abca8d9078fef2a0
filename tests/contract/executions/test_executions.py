"""Records of executions keep their promises on both platforms, and broken ones are caught."""

import dataclasses
import json
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qsl, urlsplit

import pytest
from google.cloud.workflows.executions_v1.types import (
    Execution,
    ListExecutionsRequest,
    ListExecutionsResponse,
)
from grpc import StatusCode

from infra.emulated.serving import Fake, Refusal, serving
from infra.local.ambient import SystemClock
from infra.local.operations import LocalExecutions
from shared.gcp.executions import ExecutionRecords
from shared.gcp.rest import Rest
from shared.ports.executions import Happening
from shared.vendor_kit.http import Answer
from tests.contract.executions.suite import ExecutionsContract
from tests.contract.objects.test_google_objects import PlainAccess
from tests.contract.sagas.ground import Ground
from tests.emulators.google import OnGoogle

CAUGHT = (AssertionError, pytest.fail.Exception)
WALK = """
main:
  params: [args]
  steps:
    - first:
        assign:
          - seen: ${default(map.get(args, "secret"), "nothing")}
    - second:
        switch:
          - condition: ${default(map.get(args, "stumble"), false)}
            raise: ${seen}
    - last:
        return: done
"""


class Embedded:
    """The walk, on the interpreter of the embedded cloud."""

    def __init__(self, sagas, make=LocalExecutions):
        self._sagas, self.subject = sagas, make(sagas)

    async def run(self, workflow, argument):
        id_ = await self._sagas.start(workflow, argument)
        await self._sagas.settled()
        return id_


@asynccontextmanager
async def embedded(folder, make=LocalExecutions):
    process = await Ground(folder, SystemClock(), {"walk_doors": WALK}).open()
    try:
        yield Embedded(process.sagas, make)
    finally:
        await process.die()


class TestEmbeddedExecutions(ExecutionsContract):
    """Executions in the journal."""

    @pytest.fixture
    async def setting(self, tmp_path):
        async with embedded(tmp_path) as setting:
            yield setting


class FakeRecords(Fake):
    """What Workflows keeps: by its client a list, page by page; by its JSON API the steps."""

    def __init__(self):
        super().__init__(
            "google.cloud.workflows.executions.v1.Executions",
            ListExecutions=(ListExecutionsRequest, ListExecutionsResponse),
        )
        self.kept, self._now = [], datetime(2026, 5, 1, 9, tzinfo=UTC)

    def keep(self, parent, argument):
        """Keep one more, a minute after the last."""
        self._now += timedelta(minutes=1)
        state = Execution.State.FAILED if argument.get("stumble") else Execution.State.SUCCEEDED
        id_ = f"run-{len(self.kept):03d}"
        times = {"start_time": self._now, "end_time": self._now + timedelta(seconds=2)}
        self.kept.append(
            Execution(name=f"{parent}/executions/{id_}", state=state, argument=json.dumps(argument), **times)
        )
        return id_

    def list_executions(self, request):
        """Return a page of two at most, newest first, of a state where one is asked for."""
        if not request.parent.endswith("/walk_doors"):
            raise Refusal(StatusCode.NOT_FOUND, "Workflow not found.")
        assert request.view == 2, "without its argument nobody knows the saga"
        wanted = [each for each in reversed(self.kept) if _of_state(each, request.filter)]
        start = int(request.page_token or 0)
        page = wanted[start : start + min(2, request.page_size)]
        more = str(start + len(page)) if start + len(page) < len(wanted) else ""
        return ListExecutionsResponse(executions=page, next_page_token=more)

    async def send(self, call):
        """Answer the JSON API: the steps of one execution, a page of two at most."""
        url = urlsplit(call.url)
        assert url.netloc == "workflowexecutions.googleapis.com"
        assert call.headers["authorization"] == "Bearer access-token"
        name = url.path.removeprefix("/v1/").removesuffix("/stepEntries")
        found = next((each for each in self.kept if each.name == name), None)
        if found is None:
            return Answer(404)
        start = int(dict(parse_qsl(url.query)).get("pageToken", 0))
        entries = _entries(found)
        page = {"stepEntries": entries[start : start + 2]}
        more = {"nextPageToken": str(start + 2)} if start + 2 < len(entries) else {}
        return Answer(200, body=json.dumps({**page, **more}).encode())


def _of_state(execution, wanted):
    return wanted in ("", f'state="{execution.state.name}"')


def _entries(execution):
    failed = execution.state == Execution.State.FAILED
    names = ["first", "second"] if failed else ["first", "second", "last"]
    return [
        {
            "entryId": str(number),
            "step": name,
            "createTime": f"2026-05-01T09:00:0{number}Z",
            "updateTime": f"2026-05-01T09:00:0{number}.5Z",
            "state": "STATE_FAILED" if failed and name == "second" else "STATE_SUCCEEDED",
            "exception": {"payload": execution.argument},
            "stepEntryMetadata": {"threadId": "1"},
        }
        for number, name in enumerate(names)
    ]


class GoogleSetting(OnGoogle):
    """The walk, as Workflows keeps it."""

    def __init__(self, fake, address):
        super().__init__(self._records, executions=address)
        self._fake = fake

    async def _records(self, _):
        rest = Rest(self._fake, PlainAccess(), "workflows")
        return ExecutionRecords(self.clients.of("executions"), rest, self.settings)

    async def run(self, workflow, argument):
        parent = f"projects/{self.settings.project}/locations/europe-west6/workflows/{workflow}"
        return self._fake.keep(parent, argument)


class TestGoogleExecutions(ExecutionsContract):
    """Executions of Workflows."""

    @pytest.fixture
    async def setting(self):
        fake = FakeRecords()
        async with serving(fake) as address, GoogleSetting(fake, address) as setting:
            yield setting


class OldestFirst(LocalExecutions):
    async def listed(self, workflow, *, state=None, limit=50):
        return [*reversed(await super().listed(workflow, state=state, limit=limit))]


class AnyState(LocalExecutions):
    async def listed(self, workflow, *, state=None, limit=50):
        return await super().listed(workflow, limit=limit)


class NoLimit(LocalExecutions):
    async def listed(self, workflow, *, state=None, limit=50):
        return await super().listed(workflow, state=state)


class Nameless(LocalExecutions):
    async def listed(self, workflow, *, state=None, limit=50):
        found = await super().listed(workflow, state=state, limit=limit)
        return [dataclasses.replace(each, saga=None) for each in found]


class LastStepFirst(LocalExecutions):
    async def history(self, execution):
        return [*reversed(await super().history(execution))]


class Talkative(LocalExecutions):
    async def history(self, execution):
        return [*await super().history(execution), Happening("error", "", "canary")]


class Lenient(LocalExecutions):
    async def history(self, execution):
        try:
            return await super().history(execution)
        except LookupError:
            return []
        except Exception:  # noqa: BLE001 - it is broken on purpose
            return []


BROKEN = {
    "oldest first": (OldestFirst, "test_executions_are_listed_newest_first"),
    "any state": (AnyState, "test_only_those_of_a_state_are_listed_where_one_is_given"),
    "no limit": (NoLimit, "test_only_the_newest_are_listed_where_a_limit_is_given"),
    "nameless": (Nameless, "test_executions_are_listed_newest_first"),
    "last step first": (LastStepFirst, "test_a_history_names_the_steps_in_order"),
    "talkative": (Talkative, "test_a_history_says_what_failed_and_not_in_whose_words"),
    "lenient": (Lenient, "test_what_was_never_started_is_said_to_be_unknown"),
}


@pytest.mark.parametrize(("kind", "guarantee"), BROKEN.values(), ids=list(BROKEN))
async def test_broken_records_fail_their_guarantee(tmp_path, kind, guarantee):
    async with embedded(tmp_path, kind) as setting:
        with pytest.raises(CAUGHT):
            await getattr(ExecutionsContract(), guarantee)(setting)
