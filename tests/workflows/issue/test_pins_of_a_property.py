"""Live PINs are unique at a property, known by blind indexes that go with the grants they are of."""

import asyncio

import pytest

from shared.domain.ids import TenantId
from shared.domain.secret import Secret
from shared.keywork import unique_pins
from shared.ports.vault import SealContext
from shared.vendor_kit.pins import LONGEST
from tests.support.sample_hotel import play

LEFT = {"time": "2026-03-05T07:00:00Z"}


@pytest.fixture
def drawn(monkeypatch):
    """Let these PINs be drawn, in this order; return how many digits were asked for each time."""
    asked = []

    def draw(*pins):
        left = iter(pins)

        def next_pin(_entropy, digits):
            asked.append(digits)
            return Secret(next(left))

        monkeypatch.setattr(unique_pins, "draw_pin", next_pin)
        return asked

    return draw


async def book(house, number, room="rmu_101"):
    await house.publish(f"evt_{number}", reservationId=f"rsv_{number}", rooms=[room])
    await asyncio.sleep(5)
    return max((await house.keys()), key=lambda key: key["core"]["id"])


async def grants(house):
    return [kept["grant"] for kept in (await house.documents("grants")).values()]


async def adds(house):
    state = await house.steer("GET", "counters")
    return state["keyboardPwd/add"]["calls"]


def test_a_pin_that_somebody_has_at_the_property_is_drawn_again_before_a_vendor_is_asked(tmp_path, drawn):
    async def scenario(house):
        drawn("583914", "583914", "583914", "705218")
        await book(house, 1)
        before = await adds(house)
        key = await book(house, 2, "rmu_203")
        assert key["state"]["type"] == "active"
        assert await adds(house) - before == 2, "one call for each of its locks"
        codes = {
            door: [each["code"] for each in await house.keys_at(door)] for door in ("101", "203", "front")
        }
        assert codes == {"101": ["583914"], "203": ["705218"], "front": ["583914", "705218"]}

    play(tmp_path, scenario)


def test_all_grants_of_a_key_have_one_index_and_no_two_keys_share_one(tmp_path):
    async def scenario(house):
        await book(house, 1)
        await book(house, 2, "rmu_203")
        indexes = {}
        for grant in await grants(house):
            indexes.setdefault(grant["credential_id"], set()).add(grant["pin_index"])
            assert len(grant["vendor_ref_index"]) == 64
        first, second = indexes.values()
        assert len(first) == len(second) == 1
        assert first != second
        refs = [grant["vendor_ref_index"] for grant in await grants(house)]
        assert len(set(refs)) == len(refs) == 4

    play(tmp_path, scenario)


def test_an_index_is_destroyed_with_its_grant_and_its_pin_is_free_again(tmp_path, drawn):
    async def scenario(house):
        drawn("583914", "583914")
        await book(house, 1)
        await house.publish("evt_9", "checked_out", reservationId="rsv_1", **LEFT)
        await asyncio.sleep(60)
        left = await grants(house)
        assert {each["state"]["type"] for each in left} == {"removed"}
        assert {(each["pin_index"], each["vendor_ref_index"]) for each in left} == {(None, None)}
        key = await book(house, 2)
        assert key["state"]["type"] == "active"

    play(tmp_path, scenario)


def test_a_pin_is_known_for_taken_after_the_key_of_indexes_was_rotated(tmp_path, drawn):
    async def scenario(house):
        drawn("583914", "583914", "705218")
        await book(house, 1)
        house.fleet.cipher.rotate("blind-index")
        key = await book(house, 2, "rmu_203")
        assert key["state"]["type"] == "active"
        assert [each["code"] for each in await house.keys_at("203")] == ["705218"]

    play(tmp_path, scenario)


def test_a_house_that_is_full_of_pins_is_given_longer_ones(tmp_path, drawn):
    async def scenario(house):
        asked = drawn(*["583914"] * 20, "70521864")
        await book(house, 1)
        first = len(asked)
        await book(house, 2, "rmu_203")
        digits = asked[first:]
        assert digits == sorted(digits)
        assert max(digits) <= LONGEST
        assert max(digits) > min(digits)

    play(tmp_path, scenario)


def test_the_index_of_a_pin_that_the_vendor_chose_is_that_of_this_pin(tmp_path):
    async def scenario(house):
        await house.unmap("front")
        await house.steer("PATCH", "gateways/501", online=False)
        await house.publish("evt_1", validFrom="2026-03-01T20:10:00Z")
        await asyncio.sleep(10)
        (at_door,), (grant,) = await house.keys_at("101"), await grants(house)
        context = SealContext("blind-index", TenantId("tnt_silk"), "ppt_kabul", "pin")
        (index,) = await house.fleet.cipher.index(context, Secret(at_door["code"].encode()))
        assert grant["pin_index"] == index

    play(tmp_path, scenario)
