"""Every path that a desk may ask times everybody who is no desk of this hotel: none sees anything."""

import asyncio
import base64
from dataclasses import replace
from datetime import timedelta

import orjson
import pytest
from nacl.signing import SigningKey

from functions.edge_gateway.desk_routes import ALIVE, PAIR, ROUTES
from shared.domain.ids import DesktopDeviceId, TenantId, UserId
from shared.domain.kinds import KeyCredentialKind
from shared.domain.permissions import Role
from shared.offline.requests import NONCE, SIGNATURE, TIME, WHO, Asking, signed_headers
from shared.usecases.desk.desks import DeskRecord
from tests.support.api_desk import stay
from tests.support.staffed import HERAT, KABUL, OTHER, SILK, staffed

NAME = "edge-gateway"
DESK, STOPPED, AWAY, FOREIGN = (
    DesktopDeviceId(f"dev_{each}") for each in ("in", "stopped", "away", "foreign")
)
BODIES = {
    "/edge/v1/jobs/pull": {"wait": 0, "known": []},
    "/edge/v1/jobs/step": {"job": "job_1", "step": "begun"},
    "/edge/v1/witness/request": {"old": 0, "key": "none"},
}


@pytest.fixture
async def desks(tmp_path):
    """A stay in Kabul, the desk there, and desks that are of another tenant, of another hotel, or stopped."""
    async with staffed(tmp_path, lambda base: {}) as staff:
        staff.keys = {
            each: SigningKey(bytes([number]) * 32)
            for number, each in enumerate((DESK, STOPPED, AWAY, FOREIGN))
        }
        for desk, tenant, place in (
            (DESK, SILK, KABUL),
            (STOPPED, SILK, KABUL),
            (AWAY, SILK, HERAT),
            (FOREIGN, OTHER, KABUL),
        ):
            await _paired(staff, desk, tenant, place)
        begins = staff.on.clock.now().replace(microsecond=0) + timedelta(days=1)
        first, last = (f"{begins + timedelta(days=each):%Y-%m-%dT%H:%M:%SZ}" for each in (0, 2))
        wanted = stay(reservation="rsv_1", validFrom=first, validUntil=last)
        _, _, staff.booked = await staff.ask("POST", "/lock-api/lock/v1/stays", staff.badge(*Role), wanted)
        yield staff


async def _paired(staff, desk, tenant, place):
    now = staff.on.clock.now()
    record = DeskRecord(
        id=desk,
        property_id=place,
        key=base64.b64encode(bytes(staff.keys[desk].verify_key)).decode(),
        name="Front desk",
        paired_by=UserId("usr_gm"),
        paired_at=now,
        kinds=(KeyCredentialKind.RFID_CARD,),
        certified_at=now,
        serials=("1",),
    )
    if desk == STOPPED:
        record = replace(record, stopped_at=now, stopped_by=UserId("usr_gm"))
    await record.saved(staff.on.documents.tenant(tenant))


def signed(staff, asking, desk=DESK, tenant=SILK, key=None, ahead=0):
    """Return the headers that a desk signs a request with, minutes `ahead` of the cloud's clock."""
    at = staff.on.clock.now() + timedelta(minutes=ahead)
    return signed_headers(asking, (tenant, desk), key or staff.keys[desk], at, staff.on.entropy.token(16))


def strangers(staff, asking):
    """Return the headers of everybody who must not get through, by what they are."""
    good = signed(staff, asking)
    return {
        **{f"a person or service: {who}": bearer(token) for who, token in staff.strangers(NAME).items()},
        **{f"without {name}": {each: said for each, said in good.items() if each != name} for name in good},
        "another tenant's desk": signed(staff, asking, FOREIGN),
        "another tenant's desk by this one's name": signed(staff, asking, DESK, key=staff.keys[FOREIGN]),
        "a desk by another tenant's name": signed(staff, asking, DESK, OTHER),
        "a tenant that is not there": signed(staff, asking, DESK, TenantId("tnt_nobody")),
        "a desk nobody paired": signed(staff, asking, DesktopDeviceId("dev_nobody"), key=staff.keys[DESK]),
        "a desk that was stopped": signed(staff, asking, STOPPED),
        "a key of its own": signed(staff, asking, key=SigningKey(bytes([9]) * 32)),
        "a request of long ago": signed(staff, asking, ahead=-3),
        "a request of later": signed(staff, asking, ahead=3),
        "a signature for another path": signed(staff, replace(asking, path=f"{asking.path}/more")),
        "a signature for another method": signed(staff, replace(asking, method="GET")),
        "a signature for another body": signed(staff, replace(asking, body=asking.body + b" ")),
        "a time that was changed": {**good, TIME: signed(staff, asking, ahead=1)[TIME]},
        "a nonce that was changed": {**good, NONCE: signed(staff, asking)[NONCE]},
        "a desk that was changed": {**good, WHO: f"{SILK}/{AWAY}"},
        "half a signature": {**good, SIGNATURE: good[SIGNATURE][:44]},
    }


def bearer(token):
    """Return how a person or a program shows who they are."""
    return {} if token is None else {"authorization": f"Bearer {token}"}


async def asked(staff, asking, headers):
    """Ask as somebody, and return the status and the bytes of the answer."""
    told = {**headers, "content-type": "application/json"}
    address = f"{staff.url}/{NAME}{asking.path}"
    async with staff.session.request(asking.method, address, data=asking.body, headers=told) as answer:
        return answer.status, await answer.read()


def requests():
    """Return a request of each row of the table."""
    for method, path in ROUTES:
        yield Asking(method, path, orjson.dumps(BODIES.get(path, {})))


async def test_nobody_but_a_desk_gets_through_any_path(desks):
    tried, through = 0, []
    for asking in requests():
        before = signed(desks, asking)
        await asked(desks, asking, before)
        everybody = {**strangers(desks, asking), "a request that was heard": before}
        answers = await asyncio.gather(*(asked(desks, asking, each) for each in everybody.values()))
        tried += len(answers)
        through += [
            (who, asking.path, status)
            for who, (status, _) in zip(everybody, answers, strict=True)
            if status != 401
        ]
    assert through == []
    assert tried == len(ROUTES) * 43


async def test_the_desk_itself_is_heard_at_each_path(desks):
    answers = [(each.path, *await asked(desks, each, signed(desks, each))) for each in requests()]
    assert [each for each in answers if each[1] == 401 or each[1] >= 500] == []
    (pack,) = [said for path, _, said in answers if path == "/edge/v1/arrivals"]
    assert b"rsv_1" in pack


async def test_desks_of_another_hotel_and_of_another_tenant_see_nothing_of_this_one(desks):
    known = [b"rsv_1", b"rmu_101", desks.booked["keys"][0]["id"].encode(), desks.booked["guest"].encode()]
    for desk, tenant in ((AWAY, SILK), (FOREIGN, OTHER)):
        for asking in requests():
            _, said = await asked(desks, asking, signed(desks, asking, desk, tenant))
            assert [each for each in known if each in said] == [], (desk, asking.path)


async def test_a_stranger_s_code_pairs_nothing_and_the_open_path_says_nothing(desks):
    told = {"tenant": SILK, "code": "none", "key": "AA==", "signature": "AA=="}
    for body in ({}, told, {**told, "tenant": "tnt_nobody"}):
        status, _ = await asked(desks, Asking("POST", PAIR, orjson.dumps(body)), {})
        assert status in {400, 401}
    assert await asked(desks, Asking("GET", ALIVE), {}) == (200, b'{"alive":true}')
