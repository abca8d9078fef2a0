"""A key's `tk_` handle is redeemed once, by the tenant's own service, for a guest who is signed in."""

import asyncio

import pytest

from shared.domain.ids import PropertyId, TenantId
from shared.domain.permissions import Permission
from shared.ledger.admission import RECORD
from shared.ports.documents import Create
from tests.support.guests import GUEST, BookingService, issued
from tests.support.sample_hotel import play

OTHER = TenantId("tnt_other")
NOT_THERE = 404


async def booked(house, **data):
    await house.publish("evt_1", guest=GUEST, **data)
    await asyncio.sleep(5)
    return await issued(house)


async def elsewhere(house):
    record = {"schema_version": 1, "id": OTHER, "name": "Other", "data_residency": "local"}
    await house.fleet.documents.tenant(OTHER).commit([Create(RECORD, record)])
    return await BookingService.of(house, tenant=OTHER)


def problem(answer):
    """Return what a refusal says, but for the request's own id."""
    status, body = answer
    return status, {name: value for name, value in body.items() if name not in ("requestId", "instance")}


def test_a_handle_gives_its_key_once_and_every_no_sounds_the_same(tmp_path):
    async def scenario(house):
        key, handle = await booked(house)
        service = await BookingService.of(house)
        session, another = await service.session(), await service.session()
        refused = [
            await service.redeem(key, handle, "a" * 22),
            await service.redeem(key, f"tk_{'0' * 26}", session),
            await service.redeem(f"key_{'0' * 26}", handle, session),
            await (await elsewhere(house)).redeem(key, handle, session),
        ]
        status, given = await service.redeem(key, handle, session)
        (at_door,) = await house.keys_at("101")
        assert (status, given["value"], given["kind"]) == (200, at_door["code"], "pin_code")
        assert given["doors"] == ["Front door", "Room 101"]
        # Its answer may have been lost: the same session may repeat itself, for a moment.
        assert (await service.redeem(key, handle, session))[1] == given
        refused.append(await service.redeem(key, handle, another))
        named = {"idempotency-key": "asked-again"}
        assert (await service.redeem(key, handle, session, **named))[1] == given
        assert (await service.ask("reservations/rsv_1/sessions", **named))[0] == 201
        await asyncio.sleep(121)
        # What a key opens by and a session are written down for nobody who asks again.
        refused.append(await service.redeem(key, handle, session, **named))
        assert {status for status, _ in refused} == {NOT_THERE}
        assert all(problem(each) == problem(refused[0]) for each in refused)
        (line,) = [each for each in house.logged("INFO") if "shown a key" in each["message"]][:1]
        assert line["keyCredentialId"] == key
        assert sum("redeemed again" in each["message"] for each in house.logged("WARNING")) == 2

    play(tmp_path, scenario)


def test_of_many_who_redeem_at_once_one_session_wins(tmp_path):
    async def scenario(house):
        key, handle = await booked(house)
        service = await BookingService.of(house)
        sessions = [await service.session() for _ in range(12)]
        answers = await asyncio.gather(*(service.redeem(key, handle, each) for each in sessions))
        assert sorted(status for status, _ in answers) == [200, *[NOT_THERE] * 11]

    play(tmp_path, scenario)


def test_a_key_that_rests_or_is_over_gives_nothing_and_no_session_begins_after_the_stay(tmp_path):
    async def scenario(house):
        key, handle = await booked(house)
        service = await BookingService.of(house)
        session = await service.session()
        await house.publish("evt_2", "fraud_flagged", time="2026-03-01T09:30:00Z")
        await asyncio.sleep(30)
        assert (await service.redeem(key, handle, session))[0] == NOT_THERE
        await house.publish("evt_3", "checked_out", time="2026-03-05T07:00:00Z")
        await asyncio.sleep(30)
        assert (await service.redeem(key, handle, session))[0] == NOT_THERE
        assert (await service.ask("reservations/rsv_1/sessions"))[0] == NOT_THERE
        assert (await service.ask("reservations/rsv_none/sessions"))[0] == NOT_THERE

    play(tmp_path, scenario)


@pytest.mark.parametrize(
    ("permissions", "properties", "status"),
    [
        ((Permission.KEY_READ,), (), 403),
        ((Permission.GUEST_SERVE,), (PropertyId("ppt_herat"),), NOT_THERE),
    ],
)
def test_a_program_without_the_permission_or_of_another_property_redeems_nothing(
    tmp_path, permissions, properties, status
):
    async def scenario(house):
        key, handle = await booked(house)
        service = await BookingService.of(house, permissions=permissions, properties=properties)
        assert (await service.redeem(key, handle, "a" * 22))[0] == status
        assert (await service.ask("reservations/rsv_1/sessions"))[0] == status

    play(tmp_path, scenario)


def test_no_service_of_ours_and_no_operator_redeems_in_a_guests_name(tmp_path):
    async def scenario(house):
        key, handle = await booked(house)
        body = {"opaqueRef": handle, "session": "a" * 22}
        path = f"guest-api/guest/v1/keys/{key}/artifact"
        for caller in (None, "operator", "adapter-ttlock"):
            assert (await house.on.send(path, body, caller=caller))[0] == 401

    play(tmp_path, scenario)
