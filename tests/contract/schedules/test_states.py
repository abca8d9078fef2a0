"""Schedules as an operator sees them: the same on both platforms, and broken ones are caught."""

import dataclasses
import json
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from urllib.parse import parse_qsl, urlsplit

import pytest

from infra.local.operations import LocalSchedules
from infra.local.schedules import Schedules
from shared.gcp.rest import Rest
from shared.gcp.schedules import CloudScheduler
from shared.ports.schedules import UnknownSchedule
from shared.vendor_kit.http import Answer
from tests.contract.objects.test_google_objects import PlainAccess
from tests.contract.schedules.setting import schedule
from tests.emulators.google import settings
from tests.support.delivery_rig import play

CAUGHT = (AssertionError, pytest.fail.Exception)
NAMES = ("count-guests", "probe-doors", "sweep")


async def states_are_told(on):
    """By name: when each runs, whom it calls, that it never ran, and when it will."""
    states = await on.subject.states()
    assert [state.name for state in states] == [*NAMES]
    sweep = states[-1]
    assert (sweep.cron, sweep.zone) == ("*/5 * * * *", "Asia/Kabul")
    assert sweep.calls.endswith("/sweep-ledger")
    assert (sweep.last_run, sweep.last_outcome) == (None, None)
    assert sweep.next_run.tzinfo is not None


async def a_run_makes_one_call_of_one_schedule(on):
    assert isinstance(await on.subject.run("sweep"), str)
    assert on.called() == ["sweep"]


async def a_tick_is_told_with_how_it_went(on):
    await on.tick()
    state = next(state for state in await on.subject.states() if state.name == "sweep")
    assert state.last_run.tzinfo is not None
    assert state.last_run <= state.next_run
    assert state.last_outcome


async def an_unknown_schedule_is_refused_with_the_known_ones(on):
    for name in ("nothing", "../sweep"):
        with pytest.raises(UnknownSchedule, match="count-guests, probe-doors, sweep"):
            await on.subject.run(name)
    assert on.called() == []


PROMISES = {
    promise.__name__: promise
    for promise in (
        states_are_told,
        a_run_makes_one_call_of_one_schedule,
        a_tick_is_told_with_how_it_went,
        an_unknown_schedule_is_refused_with_the_known_ones,
    )
}


def on_embedded(folder, promise, make=LocalSchedules):
    async def scenario(world):
        specs = [schedule(name=name, zone="Asia/Kabul") for name in reversed(NAMES)]
        schedules = Schedules(world.means, specs)
        on = SimpleNamespace(
            subject=make(schedules),
            called=lambda: [each.headers["X-CloudScheduler-JobName"] for each in world.receiver.received],
            tick=lambda: _five_minutes(schedules),
        )
        try:
            await promise(on)
        finally:
            await schedules.stop()
            await world.close()

    play(folder, scenario)


async def _five_minutes(schedules):
    import asyncio

    schedules.start()
    await asyncio.sleep(timedelta(minutes=6).total_seconds())


@pytest.mark.parametrize("promise", PROMISES.values(), ids=list(PROMISES))
def test_the_embedded_cloud_s_schedules_keep_the_promise(tmp_path, promise):
    on_embedded(tmp_path, promise)


class FakeScheduler:
    """Cloud Scheduler's JSON API: three jobs, two a page."""

    def __init__(self):
        self.ran, self._ticked = [], False

    async def tick(self):
        """Let a tick pass."""
        self._ticked = True

    async def send(self, call):
        assert call.headers["authorization"] == "Bearer access-token"
        url = urlsplit(call.url)
        assert url.netloc == "cloudscheduler.googleapis.com"
        *_, last = url.path.split("/")
        if call.method == "POST":
            name, _, verb = last.partition(":")
            assert verb == "run"
            if name not in NAMES:
                return Answer(404)
            self.ran.append(name)
            return Answer(200, body=b"{}")
        start = int(dict(parse_qsl(url.query)).get("pageToken", 0))
        page = {"jobs": [self._job(name) for name in NAMES[::-1][start : start + 2]]}
        return Answer(
            200, body=json.dumps({**page, **({"nextPageToken": "2"} if not start else {})}).encode()
        )

    def _job(self, name):
        now = datetime(2026, 5, 1, 9, tzinfo=UTC)
        ran = {"lastAttemptTime": now.isoformat(), "status": {"code": 13}} if self._ticked else {}
        return {
            "name": f"projects/hotel/locations/europe-west6/jobs/{name}",
            "schedule": "*/5 * * * *",
            "timeZone": "Asia/Kabul",
            "httpTarget": {"uri": "https://europe-west6-hotel.cloudfunctions.net/sweep-ledger"},
            "scheduleTime": (now + timedelta(minutes=5)).isoformat().replace("+00:00", "Z"),
            **ran,
        }


@asynccontextmanager
async def on_google():
    fake = FakeScheduler()
    subject = CloudScheduler(Rest(fake, PlainAccess(), "scheduler"), settings())
    yield SimpleNamespace(subject=subject, called=lambda: fake.ran, tick=fake.tick)


@pytest.mark.parametrize("promise", PROMISES.values(), ids=list(PROMISES))
async def test_cloud_scheduler_keeps_the_promise(promise):
    async with on_google() as on:
        await promise(on)


async def test_a_failed_attempt_is_told_by_google_s_code():
    async with on_google() as on:
        await on.tick()
        assert {state.last_outcome for state in await on.subject.states()} == {"failed with code 13"}


class Unsorted(LocalSchedules):
    async def states(self):
        return [*reversed(await super().states())]


class RunsAll(LocalSchedules):
    async def run(self, name):
        for state in await self.states():
            await super().run(state.name)
        return ""


class NeverRan(LocalSchedules):
    async def states(self):
        return [dataclasses.replace(state, last_run=None) for state in await super().states()]


class Obliging(LocalSchedules):
    async def run(self, name):
        return await super().run("sweep")


BROKEN = {
    "unsorted": (Unsorted, states_are_told),
    "runs all": (RunsAll, a_run_makes_one_call_of_one_schedule),
    "never ran": (NeverRan, a_tick_is_told_with_how_it_went),
    "obliging": (Obliging, an_unknown_schedule_is_refused_with_the_known_ones),
}


@pytest.mark.parametrize(("kind", "promise"), BROKEN.values(), ids=list(BROKEN))
def test_broken_schedules_fail_the_promise(tmp_path, kind, promise):
    with pytest.raises((*CAUGHT, AttributeError)):
        on_embedded(tmp_path, promise, kind)
