"""Every scenario in the sample hotel ends with a hunt: what opens a door, and can be read, fails it."""

import asyncio
from base64 import b64encode
from hashlib import sha256

import pytest

from shared.ports.documents import Create, Ref
from tests.support.listener import found
from tests.support.sample_hotel import SILK, play


async def logged(house, pin):
    house.fleet.platform.log.info("a remark", said=pin)


async def kept(house, pin):
    await house.fleet.documents.tenant(SILK).commit([Create(Ref("remarks", "one"), {"said": pin})])


@pytest.mark.parametrize(("leak", "place"), [(logged, "log"), (kept, "documents")])
def test_a_pin_that_can_be_read_somewhere_fails_a_scenario(tmp_path, leak, place):
    async def scenario(house):
        await house.publish("evt_1")
        await asyncio.sleep(5)
        (row,) = await house.keys_at("101")
        await leak(house, row["code"])

    with pytest.raises(AssertionError, match=place):
        play(tmp_path, scenario)


PIN = "808030"
HIDDEN = [PIN, PIN.encode().hex(), b64encode(PIN.encode()).decode(), sha256(PIN.encode()).hexdigest()]


@pytest.mark.parametrize(
    "written", ['{"said":"%s"}', '{"said":%s}', "[%s,1]", "is %s.", "pin.%s", "1.x.%s", "b'%s'"]
)
@pytest.mark.parametrize("form", HIDDEN, ids=["plain", "hex", "base64", "digest"])
def test_a_pin_is_found_however_it_is_written(written, form):
    assert found(written % form, {PIN, "1834122"}) == {PIN}


@pytest.mark.parametrize(
    "text",
    [
        '{"at":808030.516,"blocks":[[808030.0,1]]}',
        '"09:00:00.808030Z"',
        '"09:00:00.808030+00:00"',
        "1808030",
        "x808030",
    ],
)
def test_digits_that_moments_and_longer_numbers_have_by_chance_are_no_pin(text):
    assert found(text, {PIN}) == set()
