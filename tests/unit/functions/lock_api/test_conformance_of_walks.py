"""Requests one after another, each about what answers named: nothing crashes or is beside its schema.

A walk asks every operation in a new order each round, between bookings, so that each is asked of whatever
the others left: first what was drawn, which names what nobody knows, then about something that is known.
Between rounds the town is in unrest, so that there is something to ask about: a vendor that fails for a
while, codes that nobody gave, letters that nobody could read. No operation is without a success.

What makes a thousand of each affordable: the fleet is called in this process, its vendor answers and its time
is virtual, and requests are drawn by `tests/support/forms.py`. Soak asks each operation what was drawn
`PARTS * FLEETS * ROUNDS` = 1,000 times, another request each time, and as often about something known.
What Hypothesis draws goes over sockets in `test_conformance.py`.
"""

import asyncio
import re
from collections import Counter, deque
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from random import Random
from urllib.parse import urlsplit

import orjson
import pytest

from infra.simulators.ttlock.hotel import LockPlan, sample_hotel
from shared.vendor_kit.http import Answer, Call
from tests.support.api_desk import Desk
from tests.support.forms import Form, Forms
from tests.support.sample_hotel import DOORS, SampleHotel, play
from tests.support.written_requests import written
from tests.unit.functions.lock_api.test_conformance import (
    NAME,
    beyond_the_description,
    operations_of_ours,
)
from tests.unit.functions.lock_api.test_hotels import HOTEL, over_http
from tests.unit.functions.lock_api.test_matrix import BODIES
from tests.workflows.residues.test_locks_compared import stranger

FEW = 2
PARTS, FLEETS, ROUNDS = 4, 10, 25
BOOKINGS = 2
"""So many stays are booked in a round, that there is something to ask about."""
PAUSES = (*[0] * 90, 1, 30, 900)
PATIENCE_SECONDS, MOST_KNOWN = 60, 20
RESERVATIONS, ROOMS = (
    tuple(f"rsv_{each}" for each in range(1, 50)),
    ("rmu_101", "rmu_102", "rmu_203", "rmu_204"),
)
CHANGING = ("POST", "PUT", "PATCH")
DRASTIC = {
    "/lock/v1/properties/{propertyId}/bulk-revocation": 0.06,
    "/lock/v1/devices/{deviceId}/bulk-revocation": 0.1,
}
"""How often all keys of a house or a lock are ended: else there would be none to ask about."""
SETTINGS = {"phone": "+93 20 210 0000", "linkBase": "https://keys.silk.example/k"}
SPARES = tuple(range(1000901, 1000905))
"""Locks of the vendor's account that hang at no door of the hotel's yet."""
GYM = {"vendor": "ttlock", "label": "Gym", "areas": ["gym"], "capabilities": {"pin": True}}
FRESH = over_http(
    devices=[
        {**each, "vendor_device": at}
        for each, at in zip(HOTEL["devices"], ("1000777", "1000001"), strict=True)
    ]
)
SENSIBLE = {
    **BODIES,
    "/lock/v1/message-settings": SETTINGS,
    "/lock/v1/properties/{propertyId}/message-settings": SETTINGS,
    "/lock/v1/stays/{reservationId}/backup": {"reason": "the PIN is refused"},
    "/lock/v1/devices/{deviceId}/decommission": {"because": "bricked up"},
    "/lock/v1/properties/{propertyId}/setup": FRESH,
}
ELSEWHERE = {
    "/lock/v1/properties/{propertyId}/setup": "ppt_fresh",
    "/lock/v1/properties/{propertyId}/devices": "ppt_kabul",
}
"""Which property is meant, where it is not any."""
BOOK, LETTERS = "bookStay", "/lock/v1/dead-letters"
SAGAS, SENT = "/lock/v1/sagas", "/lock/v1/webhooks/{listenerId}/deliveries"
CANCEL, RETRY = f"{SAGAS}/{{keyCredentialId}}/cancel", "/lock/v1/credentials/{keyCredentialId}/retry"
WEBHOOKS, PROOF = "/lock/v1/webhooks", "/lock/v1/webhooks/{listenerId}/prove"
ID = re.compile(r"([a-z]{3})_[0-9A-Za-z_]{1,64}")
DRAWN = re.compile(r"(?:prov_)?([a-z]{3})(?:cred)?_[0-9A-Za-z_-]+")
"""An id that is drawn may have another prefix, and signs that ours have not."""
OF_STAYS = re.compile(r"\{(keyCredentialId|reservationId)\}")


class Town(SampleHotel):
    """The sample hotel, locks in its cellar, and programs that hear of it and always say yes."""

    def __init__(self, clock, seed):
        plan = sample_hotel()
        spares = tuple(LockPlan(lock_id=each, alias=f"Spare {each}") for each in SPARES)
        super().__init__(clock, seed, plan.model_copy(update={"locks": (*plan.locks, *spares)}))
        self.challenges = {}

    async def send(self, call):
        """Be the vendor, or whom a webhook calls."""
        if ".hotel.example" not in call.url:
            return await super().send(call)
        if told := orjson.loads(call.body)["data"].get("challenge"):
            self.challenges[call.url] = told
        return Answer(200, {}, b"{}")

    async def unrest(self, chance):
        """Have something go wrong, and something that went wrong end."""
        await self.publish(f"evt_{chance.randrange(10**9)}", validUntil="never")
        await self.mend()
        if chance.random() < 0.4:
            await self.fault("http_500", "keyboardPwd/add", times=40)
        await self.order("keep-backups")
        if chance.random() < 0.3:
            self.add_strange_code(chance)
            await self.order("compare-locks", occasion="asked")

    async def order(self, work, **body):
        """Have something done that a clock would have done some day."""
        status, told = await self.on.send(work, body, caller="operator")
        assert status == 200, told

    def add_strange_code(self, chance):
        """Let somebody add a code in the vendor's app, at a door that has one."""
        fitted = [door for door in DOORS if [*self.sim.cloud.passcodes.of(int(DOORS[door]))]]
        if fitted:
            stranger(self, chance.choice(fitted), f"{chance.randrange(10**6):06}")


class Walk:
    """Somebody who asks one thing after another, and remembers what the answers named."""

    def __init__(self, house, operations, chance, rounds):
        self.house, self.operations, self.chance = house, operations, chance
        self.desk, self.base = Desk(house, at=None), house.fleet.config.base_url
        self.token = None, ""
        self.book = next(each for each in operations if _called(each) == BOOK)
        self.forms = _drawn(operations, chance, rounds)
        self.unasked = {label: [*forms] for label, forms in self.forms.items()}
        self.named, self.statuses, self.last = {}, {"drawn": Counter(), "known": Counter()}, deque(maxlen=12)
        self.letters, self.yet_to_come, self.sent, self.addresses = [], {}, [], {}

    async def round(self):
        """Ask each operation, in any order, between bookings."""
        asked = [*self.operations, *[self.book] * BOOKINGS]
        self.chance.shuffle(asked)
        await self.house.unrest(self.chance)
        for each in asked:
            await self.ask(each)
            await asyncio.sleep(self.chance.choice(PAUSES))

    async def ask(self, operation):
        """Ask what was drawn, and then about something that is known, where anything of its kind is."""
        if unasked := self.unasked[operation.label]:
            await self._held_to_the_description(self._case(operation, unasked.pop()), "drawn")
        # Keys used before are among the headers; or a condition that always holds, or none of these.
        form = self.chance.choice(self.forms[operation.label])
        headers = self.chance.choice((form.headers, {"If-Match": "*"}, {}))
        case = self._case(operation, replace(self._known(form), headers=headers))
        self._sensible(case)
        if (told := await self._held_to_the_description(case, "known")) is not None:
            self._remember(case, told)

    def _case(self, operation, form):
        body = {} if form.body is None else {"body": form.body, "media_type": "application/json"}
        headers = {**form.headers, "Authorization": f"Bearer {self._token()}"}
        return operation.Case(path_parameters=form.path, headers=headers, query=form.query, **body)

    def _token(self):
        """Return a token that is fresh now: within a second it is the same, and has to be signed once."""
        second = int(self.house.fleet.platform.clock.now().timestamp())
        if self.token[0] != second:
            self.token = second, self.desk.token()
        return self.token[1]

    def _sensible(self, case):
        """Now and then have what a description cannot say be as it must be: else it is refused each time."""
        path, chance = case.operation.path, self.chance.random()
        if case.operation is self.book:
            case.body = self._stay()
        elif case.method == "POST" and chance < DRASTIC.get(path, 0):
            case.body = {"confirm": next(iter(case.path_parameters.values()))}
        elif chance < 0.5 and (meant := self._meant(case)) is not None:
            case.body = meant
        elif path in SENSIBLE and case.method in CHANGING and chance < 0.5:
            case.body = SENSIBLE[path]
            self._elsewhere(case)

    def _meant(self, case):
        """Return what only somebody can say who remembers: where, which letter, what an address was sent."""
        path, proven = case.operation.path, self.addresses.keys() & self.house.challenges.keys()
        if path == WEBHOOKS and case.method == "POST":
            return {"url": f"https://{self.chance.randrange(10**9)}.hotel.example/"}
        if path == PROOF and proven:
            url = self.chance.choice(sorted(proven))
            case.path_parameters = {"listenerId": self.addresses[url]}
            return {"challenge": self.house.challenges[url]}
        if path.startswith(f"{LETTERS}/") and self.letters:
            return {"ids": [self.letters.pop()]}
        if keys := self.yet_to_come.get(path):
            case.path_parameters = {"keyCredentialId": self.chance.choice(keys)}
        if path.startswith(f"{SENT}/") and self.sent:
            case.path_parameters = self.chance.choice(self.sent[-MOST_KNOWN:])
        if path.endswith("{propertyId}/devices"):
            self._elsewhere(case)
            return {**GYM, "vendorDevice": str(self.chance.choice(SPARES))}
        return None

    def _elsewhere(self, case):
        if case.operation.path in ELSEWHERE:
            case.path_parameters = {"propertyId": ELSEWHERE[case.operation.path]}

    def _remember(self, case, told):
        """Note what an answer named."""
        path = case.operation.path
        for found in ID.finditer(told.decode()):
            self.named.setdefault(found[1], {})[found[0]] = None
        if path == LETTERS:
            self.letters = [each["id"] for each in orjson.loads(told)["messages"]]
        elif path == SENT:
            ids = [each["id"] for each in orjson.loads(told)["deliveries"]]
            self.sent += [{**case.path_parameters, "sendingId": each} for each in ids]
        elif path == SAGAS:
            told_of = orjson.loads(told)
            waiting, failed = ([each["id"] for each in told_of[sort]] for sort in ("waiting", "failed"))
            self.yet_to_come = {CANCEL: waiting or failed, RETRY: failed or waiting}
        elif path == WEBHOOKS and "secret" in (made := orjson.loads(told)):
            self.addresses[made["webhook"]["url"]] = made["webhook"]["id"]

    async def _held_to_the_description(self, case, sort):
        """Send a request, hold the answer to the description, and return what it tells if it is a success."""
        sent = written(case.as_transport_kwargs(base_url=f"{self.base}/{NAME}"))
        headers = {name.lower(): at for name, at in sent.headers.items()}
        call = Call(sent.method, sent.url, headers, sent.body or b"", timeout=PATIENCE_SECONDS)
        answer = await self.house.fleet.means.transport.send(call)
        self.statuses[sort][_called(case.operation), answer.status] += 1
        self.last.append(f"{sent.method} {urlsplit(sent.url).path}: {answer.status}")
        told = {name: [at] for name, at in answer.headers.items()}
        response = _response()(answer.status, told, answer.body, sent, 0.0, verify=True)
        case.validate_response(response, excluded_checks=beyond_the_description())
        return answer.body if 200 <= answer.status < 300 else None

    def _known(self, wanted):
        """Say something known wherever something of its kind is asked for."""
        match wanted:
            case Form():
                told = {name: self._known(getattr(wanted, name)) for name in ("path", "query", "body")}
                return replace(wanted, **told)
            case Mapping():
                return {name: self._known(at) for name, at in wanted.items()}
            case list():
                return [self._known(each) for each in wanted]
            case str() if (drawn := DRAWN.fullmatch(wanted)) and drawn[1] in self.named:
                return self.chance.choice([*self.named[drawn[1]]][-MOST_KNOWN:])
        return wanted

    def _stay(self):
        draw, now = self.chance, self.house.fleet.platform.clock.now()
        first = draw.choice((0, draw.randrange(20)))
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


def _drawn(operations, chance, count):
    """Draw so many requests of each operation, as the description allows them."""
    forms = Forms(operations[0].schema.raw_schema, chance)
    return {each.label: [forms.draw(each.definition.raw) for _ in range(count)] for each in operations}


def _walked(home, operations, rounds, number):
    """Walk so many rounds over some operations of a new fleet, and return how what was asked was answered."""

    async def scenario(house):
        walk = Walk(house, operations, Random(number), rounds)
        await house.policy(backupCodes=True)
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


def _done(statuses):
    """Return the operations that succeeded."""
    return {operation for operation, status in statuses if 200 <= status < 300}


def test_every_walk_over_a_stay_and_its_keys_is_answered_as_described(tmp_path):
    told = _walked(tmp_path, [*filter(_of_stays, operations_of_ours())], FEW, 1)
    done = sum(count for (_, status), count in told["known"].items() if status < 300)
    assert done > told["known"].total() // 4
    assert all(min(_times_asked(each).values()) >= FEW for each in told.values())


@pytest.mark.soak
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("part", range(PARTS))
def test_many_walks_to_each_operation_are_answered_as_described(tmp_path, part):
    told, operations = {"drawn": Counter(), "known": Counter()}, operations_of_ours()
    for fleet in range(FLEETS):
        walked = _walked(tmp_path / str(fleet), operations, ROUNDS, 1 + part * FLEETS + fleet)
        told = {sort: told[sort] + statuses for sort, statuses in walked.items()}
    for statuses in told.values():
        times = _times_asked(statuses)
        assert len(times) == len(operations)
        assert min(times.values()) >= FLEETS * ROUNDS
    assert times.keys() == _done(told["known"])
