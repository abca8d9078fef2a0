"""The audit log of a whole simulated fleet: its night, its evidence, and who may ask for it."""

import base64
from datetime import timedelta

import pytest

from infra.verifier.verify_pack import verify
from tests.support.sample_hotel import SILK, play

FUNCTIONS = ("anchor-due", "anchor-tenant", "anchor-cell", "audit-pack", "audit-rights", "audit-keys")


async def one_day(house):
    """Book a stay, and let the night after it come."""
    await house.publish("evt_1")
    await house.settled()
    await pass_time(house, timedelta(days=1, hours=2))


async def pass_time(house, span):
    """Set the clock on: nobody who waits for a while is woken by it."""
    house.fleet.world.clock._beginning += span
    await house.settled()


async def call(house, function, caller="operator", **body):
    status, answer = await house.on.send(function, body, caller=caller)
    assert status == 200, answer
    return answer


def test_each_night_every_log_is_closed_and_a_stays_evidence_verifies(tmp_path):
    async def scenario(house):
        await one_day(house)
        date = (house.fleet.world.clock.now() - timedelta(days=1)).date().isoformat()
        started = await call(house, "anchor-due", date=date)
        await house.settled()
        ended = await house.fleet.sagas.get(started["execution"])
        assert ended.state == "SUCCEEDED", ended.error
        assert ended.result == {"date": date, "open": [], "witnesses": []}
        asked = {"tenant": SILK, "kind": "stay", "reservation": "rsv_1", "by": "usr_auditor"}
        handed = await call(house, "audit-pack", **asked)
        report = verify(base64.b64decode(handed["pack"]), handed["policy"])
        assert report.failures == []
        assert report.checked["bodies"] >= 3
        pins = [each["code"] for each in await house.keys_at("101")]
        files = house.fleet.means.engine.read("SELECT name, data FROM objects", ())
        clear = b"".join(data for name, data in files if "/tile/bodies/" not in name)
        hunted = [*pins, "gst_1", "A Guest"]
        assert len(pins) == 1
        assert not [each for each in hunted if each.encode() in clear]
        assert not [each for each in ("rsv_1", "gst_1") if each in str(files)]
        export = await call(house, "audit-rights", do="export", tenant=SILK, guest="gst_1", by="usr_clerk")
        assert [each["reservation"] for each in export["stays"]] == ["rsv_1"]
        assert (await call(house, "audit-upkeep"))["overdue"] == []

    play(tmp_path, scenario)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_nobody_but_who_is_named_may_ask(tmp_path, function):
    async def scenario(house):
        for caller in (None, "adapter-ttlock", "pubsub-push"):
            status, _ = await house.on.send(function, {}, caller=caller)
            assert status in (401, 403), (function, caller)

    play(tmp_path, scenario)
