"""The hotel's own server is strict about sessions and signatures, and its locks go by what phones carry."""

import base64
import hashlib
import hmac
from email.utils import format_datetime

import orjson
import pytest

from infra.local.transport import InProcess
from infra.simulators.assa_abloy.hotel import OPERATOR, PASSWORD, HotelPlan
from shared.vendor_kit.http import Call
from tests.unit.infra.simulators.json_caller import ADDRESS, JsonCaller

GUEST, OTHER = "guest@example.org", "other@example.org"
TYPE = "application/json; charset=utf-8"
TOMORROW = "20260302T1330"  # nine o'clock in UTC


class Operator(JsonCaller):
    """The hotel's operator, who signs."""

    session, key = "", ""

    async def signed(self, method, path, body=None, **changes):
        """Send a signed request; changes are made to the headers after signing."""
        raw = b"" if body is None else orjson.dumps(body)
        headers = {"date": format_datetime(self.present, usegmt=True)}
        if raw:
            headers |= {
                "content-md5": base64.b64encode(hashlib.md5(raw).digest()).decode(),
                "content-type": TYPE,
            }
        lines = [method, *(headers.get(name, "") for name in ("content-md5", "content-type", "date")), path]
        proof = base64.b64encode(
            hmac.new(self.key.encode(), "\n".join(lines).encode(), hashlib.sha1).digest()
        )
        headers |= {"authorization": f"AWS {self.session}:{proof.decode()}"} if self.session else {}
        told = {name.replace("_", "-"): value for name, value in changes.items()}
        answer = await InProcess(self.sim).send(Call(method, f"{ADDRESS}{path}", {**headers, **told}, raw))
        return answer.status, orjson.loads(answer.body) if answer.body else None

    async def log_in(self, password=PASSWORD):
        """Open a session."""
        status, told = await self.signed(
            "POST", "/api/v1/sessions", {"username": OPERATOR, "password": password}
        )
        if status == 201:
            self.session, self.key = told["id"], told["accessKey"]
        return status

    async def add(self, phone=GUEST, how="override", **changes):
        """Put a key on a phone."""
        body = {
            "expireTime": TOMORROW,
            "format": "rfid48",
            "endPointID": phone,
            "label": "l",
            "description": "MM-1",
            "doorOperations": [{"operation": "guest", "doors": ["1000101"]}],
        }
        path = f"/api/v1/cards?action=mobileAccess&{how}=true"
        return (await self.signed("POST", path, {**body, **changes}))[0]


@pytest.fixture
async def sim():
    """A hotel with two registered phones, and its operator in a session."""
    operator = Operator("assa-abloy", HotelPlan.of([1000101]).model_copy(update={"phones": (GUEST, OTHER)}))
    await operator.log_in()
    return operator


async def test_a_wrong_password_opens_no_session(sim):
    assert await sim.log_in("wrong") == 403


@pytest.mark.parametrize(
    "change",
    [
        {"date": "Sun, 01 Mar 2026 09:00:01 GMT"},
        {"date": "yesterday"},
        {"authorization": "AWS session:none"},
        {"authorization": ""},
        {"content_md5": "AAAA"},
    ],
)
async def test_what_was_not_signed_so_is_refused(sim, change):
    assert (await sim.signed("GET", "/api/v1/doors", **change))[0] == 401


async def test_a_date_of_long_ago_is_refused(sim):
    said = sim.present
    sim.wait(minutes=16)
    assert (await sim.signed("GET", "/api/v1/doors", date=format_datetime(said, usegmt=True)))[0] == 401


async def test_a_session_ends(sim):
    sim.wait(minutes=20)
    assert (await sim.signed("GET", "/api/v1/doors"))[0] == 401
    await sim.log_in()
    assert (await sim.signed("GET", "/api/v1/doors"))[1][0]["id"] == "1000101"


async def test_a_key_opens_at_once_and_until_its_end_of_the_hotel_s_time(sim):
    assert await sim.add() == 201
    assert await sim.tries("1000101", ekey=GUEST) == "open"
    sim.wait(hours=24)
    assert await sim.tries("1000101", ekey=GUEST) == "expired"


async def test_an_overriding_key_ends_the_one_before_when_it_is_first_used(sim):
    await sim.add()
    assert await sim.tries("1000101", ekey=GUEST) == "open"
    await sim.add(OTHER)
    assert await sim.tries("1000101", ekey=GUEST) == "open"
    assert await sim.tries("1000101", ekey=OTHER) == "open"
    assert await sim.tries("1000101", ekey=GUEST) == "deleted"


async def test_a_joining_key_ends_nobody_s(sim):
    await sim.add()
    await sim.add(OTHER, "autoJoin")
    for phone in (OTHER, GUEST, OTHER):
        assert await sim.tries("1000101", ekey=phone) == "open"


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"endPointID": "nobody"}, 422),
        ({"format": "TLCode"}, 400),
        ({"expireTime": "2026-03-02"}, 400),
        ({"doorOperations": []}, 400),
        ({"doorOperations": [{"operation": "guest", "doors": ["9"]}]}, 404),
    ],
)
async def test_what_cannot_be_made_is_refused(sim, changes, status):
    assert await sim.add(**changes) == status


async def test_keys_are_listed_by_door_and_time(sim):
    await sim.add()
    _, now = await sim.signed("GET", "/api/v1/cards?guestDoor=1000101&validTime=20260301T1330")
    _, then = await sim.signed("GET", f"/api/v1/cards?guestDoor=1000101&validTime={TOMORROW}")
    assert ([key["description"] for key in now], then) == (["MM-1"], [])


async def test_what_opens_is_masked_in_the_journal(sim):
    await sim.add()
    told = str(await sim.steer("GET", "requests"))
    assert GUEST not in told
    assert PASSWORD not in told
