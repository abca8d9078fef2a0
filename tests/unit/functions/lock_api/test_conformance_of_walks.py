"""Requests one after another, each about what answers named: nothing crashes or is beside its schema.

A walk asks every operation in a new order each round, between bookings, so that each is asked of whatever
the others left. What makes a thousand of each affordable: the fleet is called in this process, its vendor
answers and its time is virtual, and a request is drawn once for several rounds, whose ids and whose state
differ. Soak asks each operation `PARTS * FLEETS * ROUNDS` = 1,000 times, in requests of `PARTS * FLEETS *
DRAWN` = 200 forms, for some 300 CPU s (7.5 a fleet of 25 rounds); the thousand of `test_conformance.py`
are of a form each.
"""

import asyncio
import re
from collections import Counter, deque
from collections.abc import Mapping
from datetime import timedelta
from random import Random
from urllib.parse import urlsplit

import pytest
import requests
from hypothesis import HealthCheck, Phase, given, seed, settings

from shared.vendor_kit.http import Answer, Call
from tests.support.api_desk import Desk
from tests.support.sample_hotel import SampleHotel, play
from tests.unit.functions.lock_api.test_conformance import (
    NAME,
    beyond_the_description,
    operations_of_ours,
)
from tests.unit.functions.lock_api.test_matrix import BODIES

FEW = 2
PARTS, FLEETS, ROUNDS, DRAWN = 4, 10, 25, 5
BOOKINGS = 2
"""So many stays are booked in a round, that there is something to ask about."""
PAUSES = (*[0] * 90, 1, 30, 900)
PATIENCE_SECONDS, MOST_KNOWN = 60, 20
RESERVATIONS, ROOMS = (
    tuple(f"rsv_{each}" for each in range(1, 50)),
    ("rmu_101", "rmu_102", "rmu_203", "rmu_204"),
)
CHANGING, DRASTIC = ("POST", "PUT", "PATCH"), 0.03
SETTINGS = {"phone": "+93 20 210 0000", "linkBase": "https://keys.silk.example/k"}
SENSIBLE = {
    **BODIES,
    "/lock/v1/message-settings": SETTINGS,
    "/lock/v1/properties/{propertyId}/message-settings": SETTINGS,
}
BOOK = "bookStay"
ID = re.compile(r"([a-z]{3})_[0-9A-Za-z_]{1,64}")
OF_STAYS = re.compile(r"\{(keyCredentialId|reservationId)\}")


class Town(SampleHotel):
    """The sample hotel, and programs that hear of it and always say yes."""

    async def send(self, call):
        """Be the vendor, or whom a webhook calls."""
        return Answer(200, {}, b"{}") if ".hotel.example" in call.url else await super().send(call)


class Walk:
    """Somebody who asks one thing after another, and remembers what the answers named."""

    def __init__(self, house, operations, chance, forms):
        self.house, self.operations, self.chance = house, operations, chance
        self.desk, self.base = Desk(house, at=None), house.fleet.config.base_url
        self.book = next(each for each in operations if _called(each) == BOOK)
        self.forms = {each.label: _drawn(each, forms, chance.randrange(2**32)) for each in operations}
        self.named, self.statuses, self.last = {}, Counter(), deque(maxlen=12)

    async def round(self):
        """Ask each operation once, in any order, between bookings."""
        asked = [*self.operations, *[self.book] * BOOKINGS]
        self.chance.shuffle(asked)
        await self.house.publish(f"evt_{self.chance.randrange(10**9)}", validUntil="never")
        for each in asked:
            await self.ask(each)
            await asyncio.sleep(self.chance.choice(PAUSES))

    async def ask(self, operation):
        """Ask about something that is known, where anything of its kind is."""
        form = self.chance.choice(self.forms[operation.label])
        # Conditions that never hold and keys used before, a condition that always holds, or none of these.
        kept = self.chance.choice((dict(form.headers or {}), {"If-Match": "*"}, {}))
        case = operation.Case(
            path_parameters=self._known(form.path_parameters or {}),
            headers={**kept, "Authorization": f"Bearer {self.desk.token()}"},
            query=self._known(form.query or {}),
            cookies=form.cookies,
            body=self._known(form.body),
            media_type=form.media_type,
        )
        self._sensible(case)
        await self._held_to_the_description(case)

    def _sensible(self, case):
        """Now and then have what a description cannot say be as it must be: else it is refused each time."""
        path, chance = case.operation.path, self.chance.random()
        if case.operation is self.book:
            case.body = self._stay()
        elif path.endswith("/bulk-revocation") and case.method == "POST" and chance < DRASTIC:
            case.body = {"confirm": next(iter(case.path_parameters.values()))}
        elif path in SENSIBLE and case.method in CHANGING and chance < 0.5:
            case.body = SENSIBLE[path]

    async def _held_to_the_description(self, case):
        sent = requests.Request(**case.as_transport_kwargs(base_url=f"{self.base}/{NAME}")).prepare()
        headers = {name.lower(): at for name, at in sent.headers.items()}
        body = sent.body.encode() if isinstance(sent.body, str) else sent.body or b""
        call = Call(sent.method, sent.url, headers, body, timeout=PATIENCE_SECONDS)
        answer = await self.house.fleet.means.transport.send(call)
        self.statuses[_called(case.operation), answer.status] += 1
        self.last.append(f"{sent.method} {urlsplit(sent.url).path}: {answer.status}")
        told = {name: [at] for name, at in answer.headers.items()}
        response = _response()(answer.status, told, answer.body, sent, 0.0, verify=True)
        case.validate_response(response, excluded_checks=beyond_the_description())
        for found in ID.finditer(answer.body.decode() if answer.status < 300 else ""):
            self.named.setdefault(found[1], {})[found[0]] = None

    def _known(self, wanted):
        """Say something known wherever something of its kind is asked for."""
        match wanted:
            case Mapping():
                return {name: self._known(at) for name, at in wanted.items()}
            case list():
                return [self._known(each) for each in wanted]
            case str() if ID.fullmatch(wanted) and wanted[:3] in self.named:
                return self.chance.choice([*self.named[wanted[:3]]][-MOST_KNOWN:])
        return wanted

    def _stay(self):
        draw, now = self.chance, self.house.fleet.platform.clock.now()
        first = draw.randrange(20)
        days = (first, first + draw.randint(1, 9))
        begins, ends = (f"{now + timedelta(days=each):%Y-%m-%dT%H:%M:%SZ}" for each in days)
        known = {"reservation": draw.choice(RESERVATIONS), "property": "ppt_kabul"}
        return {
            **known,
            "rooms": draw.sample(ROOMS, draw.randint(1, 2)),
            "validFrom": begins,
            "validUntil": ends,
        }


def _called(operation):
    return operation.definition.raw["operationId"]


def _response():
    from schemathesis.core.transport import Response

    return Response


def _drawn(operation, count, number):
    """Draw some requests of an operation, as its description allows them."""
    found = []

    @seed(number)
    @given(case=operation.as_strategy())
    @settings(
        max_examples=count,
        phases=[Phase.generate],
        deadline=None,
        database=None,
        suppress_health_check=HealthCheck,
    )
    def draw(case):
        found.append(case)

    draw()
    return found


def _walked(home, operations, rounds, number):
    """Walk so many rounds over some operations of a new fleet, and return how each was answered."""

    async def scenario(house):
        walk = Walk(house, operations, Random(number), min(rounds, DRAWN))
        try:
            for _ in range(rounds):
                await walk.round()
        except BaseException as failure:
            failure.add_note("\n".join(["The last that was asked:", *walk.last]))
            raise
        return walk.statuses

    return play(home, scenario, number, hotel=Town)


def _of_stays(operation):
    return bool(OF_STAYS.search(operation.path)) or _called(operation) == BOOK


def _times_asked(statuses):
    """Return how often each operation was asked."""
    times = Counter()
    for (operation, _), count in statuses.items():
        times[operation] += count
    return times


def test_every_walk_over_a_stay_and_its_keys_is_answered_as_described(tmp_path):
    statuses = _walked(tmp_path, [*filter(_of_stays, operations_of_ours())], FEW, 1)
    done = sum(count for (_, status), count in statuses.items() if status < 300)
    assert done > statuses.total() // 4
    assert min(_times_asked(statuses).values()) >= FEW


@pytest.mark.soak
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("part", range(PARTS))
def test_many_walks_to_each_operation_are_answered_as_described(tmp_path, part):
    statuses, operations = Counter(), operations_of_ours()
    for fleet in range(FLEETS):
        statuses += _walked(tmp_path / str(fleet), operations, ROUNDS, 1 + part * FLEETS + fleet)
    times = _times_asked(statuses)
    assert len(times) == len(operations)
    assert min(times.values()) >= FLEETS * ROUNDS
    done = {operation for operation, status in statuses if status < 300}
    assert len(done) > len(times) * 3 // 4, times.keys() - done
