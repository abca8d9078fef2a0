"""Events sent to addresses that a tenant named: proven first, signed, tried again, and of no other tenant."""

import asyncio
from datetime import timedelta

import orjson
import pytest

from infra.local.simulation.loop import run_virtually
from shared.domain.ids import ListenerId, TenantId, UserId
from shared.domain.secret import Secret
from shared.ledger.listener import find_listener
from shared.ports.documents import StaleVersion
from shared.usecases.outbound.listeners import ListenerWanted, add_listener, remove_listener
from shared.usecases.outbound.services import Outbound
from shared.vendor_kit.http import Answer, ConnectionFailed
from shared.vendor_kit.standard_webhooks import proven
from tests.support.api_desk import Desk, stay
from tests.support.sample_hotel import SampleHotel, hunted
from tests.support.shifts import begun, ended
from tests.support.simulated import simulated_fleet

HOOK = "https://hooks.hotel.example/keys?tenant=silk"
ISSUED = "melmastoon.lock.credential.issued.v1"
HERAT = {
    "property": {"name": "Herat", "zone": "Asia/Kabul"},
    "rooms": [{"id": "rmu_h1", "label": "H1", "floor": "1"}],
    "devices": [{"vendor_device": "1000777", "label": "Room H1", "rooms": ["rmu_h1"]}],
    "deviceDefaults": {
        "vendor": "ttlock",
        "capabilities": {"pin": True, "remote_issue": True, "remote_revoke": True},
    },
}
SECONDS = 20
"""What is known of a tenant is remembered for fewer."""


class HookedHotel(SampleHotel):
    """The sample hotel, and somebody who listens."""

    def __init__(self, clock, seed):
        super().__init__(clock, seed)
        self.got, self.answers, self.at = [], [], clock

    async def send(self, call):
        if "hooks.hotel.example" not in call.url:
            return await super().send(call)
        self.got.append((self.at.now(), call))
        answer = self.answers.pop(0) if len(self.answers) > 1 else (self.answers or [200])[0]
        if isinstance(answer, int):
            return Answer(answer, {"location": "http://169.254.169.254/"})
        raise answer

    def heard(self, subject):
        """Return what was told of a subject, in order."""
        bodies = [orjson.loads(call.body) for _, call in self.got]
        return [each for each in bodies if each["type"] == subject]

    async def hook(self, desk, **wanted):
        """Have events sent to the listener, and prove it."""
        made = await desk.do("webhooks", {"url": HOOK, **wanted})
        await asyncio.sleep(5)
        (told,) = self.heard("keyfleet.webhook.challenge")
        one = f"webhooks/{made['webhook']['id']}"
        await desk.do(f"{one}/prove", told["data"])
        await asyncio.sleep(SECONDS)
        self.got.clear()
        return one, made["secret"]


def listening(home, scenario, seed=0):
    """Run a scenario in a hotel that somebody listens to."""

    async def main(clock):
        house = HookedHotel(clock, seed)
        async with simulated_fleet(home, clock, seed, outside=house) as on:
            house.on = on
            return await hunted(house, scenario)

    return run_virtually(main, seed)


def test_who_listens_for_a_property_hears_of_its_staff_s_keys_and_not_of_another_s(tmp_path):
    async def scenario(house):
        desk, ours, theirs = Desk(house, at=None), HOOK, HOOK.replace("/keys", "/herat")
        for url, place in ((ours, "ppt_kabul"), (theirs, "ppt_herat")):
            await house.hook(desk, url=url, events=["melmastoon.lock.master_key.*"], properties=[place])
        await begun(house)
        await ended(house)
        await asyncio.sleep(SECONDS)
        assert {call.url for _, call in house.got} == {ours}
        (over,) = house.heard("melmastoon.lock.master_key.expired.v1")
        assert over["data"]["trigger"] == "shift.ended"
        house.got.clear()
        await desk.do("properties/ppt_herat/setup", HERAT, method="PUT")
        await begun(house, "evt_on_2", "shift_2", propertyId="ppt_herat")
        await ended(house, "evt_off_2", "shift_2")
        await asyncio.sleep(SECONDS)
        assert {call.url for _, call in house.got} == {theirs}
        assert len(house.heard("melmastoon.lock.master_key.expired.v1")) == 1

    listening(tmp_path, scenario)


def test_a_proven_address_hears_signed_events_once_and_no_secret(tmp_path):
    async def scenario(house):
        desk = Desk(house, at=None)
        await desk.do("stays", stay(reservation="rsv_0", rooms=["rmu_203"]))
        await asyncio.sleep(5)
        assert (house.got, await house.documents("sendings")) == ([], {}), "nobody asked for it"
        one, secret = await house.hook(desk, events=["melmastoon.lock.credential.*"])
        await desk.do("stays", stay(reservation="rsv_1"))
        await asyncio.sleep(10)
        log = await _heard(house, desk, one, secret)
        await _rotated(house, desk, one, secret)
        await _once_more(house, desk, one, log)
        await _removed(house, desk, one)

    listening(tmp_path, scenario)


async def _heard(house, desk, one, secret):
    (issued,) = house.heard(ISSUED)
    assert (issued["data"]["reservationId"], issued["tenantId"]) == ("rsv_1", "tnt_silk")
    assert "artifact" not in issued["data"]
    for at, call in house.got:
        assert proven(call.headers, call.body, [Secret(secret.encode())], at), "signed, and now"
    log = (await desk.get(f"{one}/deliveries?limit=200"))["deliveries"]
    assert {each["state"] for each in log} == {"delivered"}
    assert len(log) == len(house.got) + 1 == len({call.headers["webhook-id"] for _, call in house.got}) + 1
    kept = str(await house.documents("listeners")) + str(await house.documents("sendings"))
    assert secret.removeprefix("whsec_") not in kept + house.on.log.getvalue()
    assert HOOK not in house.on.log.getvalue()
    return log


async def _removed(house, desk, one):
    assert (await desk.ask("DELETE", one)).status == 200
    await asyncio.sleep(SECONDS)
    house.got.clear()
    await desk.do("stays/rsv_1/check-out")
    await asyncio.sleep(10)
    assert house.got == []


async def _rotated(house, desk, one, former):
    newer = (await desk.do(f"{one}/rotate"))["secret"]
    await _told(house, desk, "suspend")
    for at, call in house.got:
        assert all(proven(call.headers, call.body, [Secret(each.encode())], at) for each in (former, newer))
    await asyncio.sleep(timedelta(hours=25).total_seconds())
    await _told(house, desk, "unsuspend")
    for at, call in house.got:
        by = [proven(call.headers, call.body, [Secret(each.encode())], at) for each in (former, newer)]
        assert by == [False, True]


async def _told(house, desk, what):
    house.got.clear()
    (key,) = (await desk.get("credentials?reservation=rsv_1"))["credentials"]
    await desk.do(f"credentials/{key['id']}/{what}")
    await asyncio.sleep(10)
    assert house.got


async def _once_more(house, desk, one, log):
    house.got.clear()
    (first,) = (each for each in log if each["subject"] == ISSUED)
    again = await desk.do(f"{one}/deliveries/{first['id']}/resend")
    await asyncio.sleep(10)
    ((_, call),) = house.got
    assert (call.headers["webhook-id"], again["state"]) == (first["event"], "waiting")


async def _in_trouble(house):
    desk = Desk(house, at=None)
    one, _ = await house.hook(desk, events=[ISSUED])
    await _tried_again(house, desk, one)
    house.got.clear()
    house.answers[:] = [503]
    for number, room in enumerate(("102", "203"), 2):
        await desk.do("stays", stay(reservation=f"rsv_{number}", rooms=[f"rmu_{room}"]))
    await asyncio.sleep(60)
    assert len(house.got) <= 4, "while it rests, nothing else is tried there either"
    return desk, one


def test_an_address_in_trouble_rests_and_is_tried_again(tmp_path):
    async def scenario(house):
        await _in_trouble(house)

    listening(tmp_path, scenario)


@pytest.mark.soak
def test_an_address_in_trouble_is_disabled_after_days_and_may_be_taken_on_again(tmp_path):
    async def scenario(house):
        desk, one = await _in_trouble(house)
        await asyncio.sleep(timedelta(days=6).total_seconds())
        late = {"validFrom": "2026-03-20T09:30:00Z", "validUntil": "2026-03-22T07:30:00Z"}
        await desk.do("stays", stay(reservation="rsv_late", **late))
        await asyncio.sleep(10)
        ended = await desk.get(one)
        assert (ended["state"], ended["because"]) == ("disabled", "unreachable for days")
        assert [line for line in house.logged("ALERT") if "sent to an address no more" in line["message"]]
        calls = len(house.got)
        await asyncio.sleep(timedelta(days=1).total_seconds())
        assert len(house.got) == calls
        await _taken_on_again(house, desk, one)

    listening(tmp_path, scenario)


async def _tried_again(house, desk, one):
    house.answers[:] = [302, ConnectionFailed("a name that leads inward"), 200]
    await desk.do("stays", stay())
    await asyncio.sleep(900)
    assert len(house.got) == 3, "a redirect is not followed, and no answer is one"
    (sent,) = [
        each for each in (await desk.get(f"{one}/deliveries"))["deliveries"] if each["subject"] == ISSUED
    ]
    assert [each.get("status") or each["problem"] for each in sent["tries"]] == [302, "unreachable", 200]
    assert ((await desk.get(one))["failures"], sent["state"]) == (0, "delivered")


async def _taken_on_again(house, desk, one):
    house.answers[:] = [200]
    log = (await desk.get(f"{one}/deliveries"))["deliveries"]
    lost = [each["id"] for each in log if each["state"] == "given_up"]
    assert lost
    assert (await desk.ask("POST", f"{one}/deliveries/{lost[0]}/resend")).status == 409, "it is disabled"
    assert (await desk.do(f"{one}/enable"))["state"] == "live"
    await desk.do(f"{one}/deliveries/{lost[0]}/resend")
    await asyncio.sleep(10)
    found = {each["id"]: each["state"] for each in (await desk.get(f"{one}/deliveries"))["deliveries"]}
    assert found[lost[0]] == "delivered"


async def _refusing_its_challenge(house, desk):
    house.answers[:] = [410]
    one = f"webhooks/{(await desk.do('webhooks', {'url': HOOK}))['webhook']['id']}"
    await asyncio.sleep(5)
    assert (await desk.get(one))["state"] == "disabled"
    house.answers[:] = [200]
    assert (await desk.do(f"{one}/enable"))["state"] == "unproven", "nobody there ever asked for events"
    (sent,) = (await desk.get(f"{one}/deliveries"))["deliveries"]
    house.got.clear()
    await desk.do(f"{one}/deliveries/{sent['id']}/resend")
    await asyncio.sleep(5)
    (told,) = house.heard("keyfleet.webhook.challenge")
    assert (await desk.do(f"{one}/prove", told["data"]))["state"] == "live"
    assert (await desk.ask("DELETE", one)).status == 200


def test_an_address_that_does_not_prove_itself_hears_nothing(tmp_path):
    async def scenario(house):
        desk = Desk(house, at=None)
        made = await desk.do("webhooks", {"url": HOOK})
        one = f"webhooks/{made['webhook']['id']}"
        assert (await desk.ask("POST", f"{one}/prove", {"challenge": "00" * 16})).status == 409
        assert (await desk.ask("POST", f"{one}/enable")).status == 409
        await asyncio.sleep(SECONDS)
        await desk.do("stays", stay())
        await asyncio.sleep(10)
        assert {orjson.loads(call.body)["type"] for _, call in house.got} == {"keyfleet.webhook.challenge"}
        await _refusing_its_challenge(house, desk)
        for wrong in (
            "http://hooks.hotel.example/",
            "https://127.0.0.1/",
            "https://[::1]/",
            "https://0x7f000001/",
            "https://user@hooks.hotel.example/",
            "https://metadata.google.internal/",
            "https://hooks.hotel.example/#a",
            "ftp://hooks.hotel.example/",
            "https://localhost/",
        ):
            assert (await desk.ask("POST", "webhooks", {"url": wrong})).status == 400, wrong
        nothing = {"url": HOOK, "events": ["melmastoon.reservation.*"]}
        assert (await desk.ask("POST", "webhooks", nothing)).status == 400
        assert (await Desk(house).ask("GET", "webhooks")).status == 403, "at one property only"
        assert len((await desk.get("webhooks"))["webhooks"]) == 1

    listening(tmp_path, scenario)


class Meanwhile:
    """A platform where something else is done once, just before a commit."""

    def __init__(self, inner, done):
        self._inner, self._done = inner, done

    def __getattr__(self, name):
        return getattr(self._inner, name)

    @property
    def documents(self):
        return Meanwhile(self._inner.documents, self._done)

    def tenant(self, tenant):
        return Meanwhile(self._inner.tenant(tenant), self._done)

    async def commit(self, writes):
        while self._done:
            await self._done.pop()()
        return await self._inner.commit(writes)


def test_an_address_that_is_added_while_the_last_one_is_removed_hears_what_comes(tmp_path):
    async def scenario(house):
        desk = Desk(house, at=None)
        one, _ = await house.hook(desk)
        silk, platform = TenantId("tnt_silk"), house.on.fleet.platform
        plain, wanted = Outbound.of(silk, platform), ListenerWanted(HOOK, ("*",), (), UserId("usr_7"))
        old = await find_listener(ListenerId(one.partition("/")[2]), plain.store)
        raced = Outbound.of(silk, Meanwhile(platform, [lambda: add_listener(wanted, plain)]))
        with pytest.raises(StaleVersion):  # whoever asked is told to try later, and finds another address
            await remove_listener(old, raced)
        await remove_listener(await find_listener(old.id, plain.store), plain)
        platform.hotels.forget(silk)
        assert await platform.hotels.is_heard(silk)

    listening(tmp_path, scenario)
