"""One trace leads from a booking to the calls of its vendor, through a saga that knows nothing of traces."""

import asyncio

import orjson

from shared.kernel.spans import Tracing
from shared.ports.bus import Message
from tests.support.sample_hotel import BOOKING, message, play

TRACE = "5" * 32
PARENT = "6" * 16


class Recorded:
    """Remembers the requests of each function."""

    def __init__(self):
        self.finished, self.names = [], 0

    def keep(self, finished):
        self.finished.append(finished)

    def token(self, size):
        self.names += 1
        return self.names.to_bytes(size, "big")

    def of(self, function):
        return [each for each in self.finished if each.spans[-1].name == function]


def test_a_trace_leads_from_the_event_to_each_call_of_the_vendor(tmp_path):
    recorded = Recorded()

    async def scenario(house):
        told = orjson.loads(message("evt_1").data) | {"traceId": f"00-{TRACE}-{PARENT}-01"}
        await house.fleet.bus.publish(f"{BOOKING}.confirmed.v1", [Message(orjson.dumps(told))])
        await asyncio.sleep(5)
        return house.on.log.getvalue()

    log = play(tmp_path, scenario, tracing=Tracing(recorded, lambda: 0, recorded.token))
    (heard,), (worked,) = recorded.of("on-booking-confirmed"), recorded.of("adapter-ttlock")
    assert {heard.trace, worked.trace} == {TRACE}
    assert heard.spans[-1].attributes["tenantId"] == "tnt_silk"
    told = worked.spans[-1].attributes
    assert (told["tenantId"], told["reservationId"], told["result"]) == ("tnt_silk", "rsv_1", "done")
    calls = [each for each in worked.spans if each.name.startswith("vendor ")]
    assert {each.parent for each in calls} == {worked.spans[-1].id}
    assert sum(each.name.endswith("keyboardPwd/add") for each in calls) == 2
    lines = [orjson.loads(each) for each in log.splitlines()]
    (line,) = [each for each in lines if each["message"] == "an attempt was made"]
    assert (line["service"], line["tenantId"], line["result"]) == ("keyfleet", "tnt_silk", "done")
    assert line["keyCredentialId"] == told["keyCredentialId"]
    asked = [each for each in lines if each["message"] == "a vendor was asked"]
    assert [(each["vendor"], each["action"], each["result"], each["well"]) for each in asked] == [
        ("ttlock", "place", "done", True)
    ] * 2
    assert all(each["milliseconds"] >= 0 and each["tenantId"] == "tnt_silk" for each in asked)
