"""The sandbox: every verb does at the simulated doors what its row says, and no other fleet serves it."""

import asyncio

from infra.local.fleet import open_fleet
from infra.local.sample.load import WINGS, add_wings, read_sample
from infra.local.sandbox.routes import ROUTES
from infra.local.sandbox.serve import NAME
from infra.local.sandbox.verbs import OTHERS, VERBS, At
from infra.local.world import FleetConfig, World
from infra.manifest.load import load_manifest
from shared.domain.permissions import Role
from tests.support.api_desk import Desk, stay
from tests.support.sample_hotel import CONTROL, DOORS, device_at, play

LOCK = device_at("101")


class Playground(Desk):
    """Somebody who plays with the sandbox."""

    ROOT = "sandbox/v1"

    def __init__(self, house, *roles, **where):
        super().__init__(house, *roles, function=NAME, **where)
        (house.fleet.config.home / "simulator.token").write_text(CONTROL)


async def _lock(house):
    state = await house.steer("GET", "state")
    return next(each for each in state["locks"] if str(each["lockId"]) == DOORS["101"])


def test_there_are_at_least_as_many_verbs_as_at_seam_and_each_has_a_route():
    paths = {route.path.removeprefix("/sandbox/v1/") for route in ROUTES}
    named = {f"{'vendor' if each.at is At.VENDOR else 'locks/{deviceId}'}/{each.name}" for each in VERBS}
    assert len(named | set(OTHERS)) >= 18
    assert named | set(OTHERS) | {"state"} == paths


def test_no_cloud_and_no_other_fleet_serves_the_sandbox(tmp_path):
    assert NAME not in load_manifest().functions

    async def main():
        async with open_fleet(FleetConfig(tmp_path, 1), World(threaded=False)) as fleet:
            assert not fleet.platform.sandbox
            assert NAME not in {each["name"] for each in fleet.status()["functions"]}

    asyncio.run(main())


def test_every_verb_does_what_its_row_says(tmp_path):
    async def scenario(house):
        play_at = Playground(house)
        for verb in (each for each in VERBS if each.at is not At.VENDOR):
            value = {"value": 20} if verb.takes else {}
            told = await play_at.do(f"locks/{LOCK}/{verb.name}", value)
            assert (told["verb"], told["lock"]) == (verb.name, LOCK)
            if verb.name == "disconnect":
                assert (await _lock(house))["inReach"] is False
        assert (await _lock(house))["inReach"] is True
        shown = (await play_at.get("state"))["locks"]
        assert next(each for each in shown if each["id"] == DOORS["101"])["battery"] == 20
        for verb in (each for each in VERBS if each.at is At.VENDOR):
            await play_at.do(f"vendor/{verb.name}", {"times": 2})
        armed = await house.steer("GET", "faults")
        assert [each["fault"] for each in armed] == [each.fault for each in VERBS if each.fault]
        await play_at.do("vendor/recover")
        assert await house.steer("GET", "faults") == []
        await play_at.do("vendor/callbacks")

    play(tmp_path, scenario)


def test_a_key_meets_trouble_opens_its_door_and_is_gone_after_a_reset(tmp_path):
    async def scenario(house):
        play_at, desk = Playground(house), Desk(house)
        await play_at.do("vendor/next-encode-fails", {"times": 2})
        await desk.do("stays", stay(reservation="rsv_1"))
        await house.keys_active(1)
        calls = [each for each in await house.steer("GET", "faults") if each["struck"]]
        assert calls, "it struck"
        (key,) = await house.keys_at("101")
        tried = await play_at.do(f"locks/{LOCK}/try", {"pin": "0000000"})
        assert tried == {"opens": False, "reason": tried["reason"]}, "nobody has that PIN"
        assert key["code"] not in str(await play_at.get("state"))
        for wrong in ({}, {"pin": "1234", "card": "ABCD1234"}):
            assert (await play_at.ask("POST", f"locks/{LOCK}/try", wrong)).status == 400
        await play_at.do("reset")
        assert await house.keys_at("101") == []
        for path, body in (("clock/advance", {"seconds": 60}), ("stays/rsv_1/travel", {"to": "arrival"})):
            assert (await play_at.ask("POST", path, body)).status == 409, "virtual time is nobody's to move"

    play(tmp_path, scenario)


def test_lock_that_another_vendor_calls_the_same_is_not_taken_for_the_simulated_one(tmp_path):
    async def scenario(house):
        wings = read_sample(WINGS)
        await add_wings(wings, house.fleet.platform.documents)
        same = [each for each in wings.devices if each.vendor_device == DOORS["101"]]
        assert same
        for each in same:
            answer = await Playground(house).ask("POST", f"locks/{each.id}/disconnect", {})
            assert answer.status == 409, each.label
        assert (await _lock(house))["inReach"] is True

    play(tmp_path, scenario)


def test_strangers_simulate_nothing(tmp_path):
    async def scenario(house):
        for who in (Playground(house, Role.CONCIERGE), Playground(house, at=("ppt_herat",))):
            status = (await who.ask("POST", f"locks/{LOCK}/disconnect", {})).status
            assert status in {403, 404}
        assert (await _lock(house))["inReach"] is True

    play(tmp_path, scenario)
