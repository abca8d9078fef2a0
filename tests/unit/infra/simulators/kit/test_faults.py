"""Fault rules: what each does to the request, when it strikes, and that a seed repeats it."""

import orjson
import pytest

from infra.local.transport import InProcess
from infra.simulators.kit.errors import ConnectionCut
from infra.simulators.kit.faults import FaultRule
from shared.vendor_kit.http import Call, ConnectionBroken
from tests.unit.infra.simulators.ttlock.integrator import FORM, Integrator

LIST = {"pageNo": 1, "pageSize": 1}


async def arm(sim, fault, operation="keyboardPwd/add", **options):
    """Put a rule in force."""
    status, rule = await sim.control("POST", "/faults", {"operation": operation, "fault": fault, **options})
    assert status == 201
    return rule


async def errcodes(sim, times):
    """List locks some times; return the errcodes."""
    return [(await sim.get("/v3/lock/list", **LIST)).get("errcode", 0) for _ in range(times)]


async def test_a_dropped_request_does_nothing(sim):
    await arm(sim, "drop")
    with pytest.raises(ConnectionCut):
        await sim.add_pin("482913")
    assert (await sim.pins(), await sim.try_door(pin="482913")) == ([], "unknown")


async def test_a_cut_connection_is_a_broken_one_to_an_in_process_caller(sim):
    await arm(sim, "drop", "lock/list")
    with pytest.raises(ConnectionBroken):
        await InProcess(sim.app).send(Call("GET", "http://127.0.0.1:8701/v3/lock/list"))


async def test_a_timeout_after_success_leaves_the_passcode_at_the_door(sim):
    await arm(sim, "timeout_after_success", seconds=30)
    with pytest.raises(ConnectionCut):
        await sim.add_pin("482913")
    assert sim.slept == [30]
    assert [row["keyboardPwd"] for row in await sim.pins()] == ["482913"]
    assert await sim.try_door(pin="482913") == "open"


@pytest.mark.parametrize("status", [500, 502])
async def test_a_server_error_does_nothing_and_is_no_json(sim, status):
    await arm(sim, f"http_{status}", "*")
    answer = await sim.raw("GET", "/v3/lock/list")
    assert answer[0] == status
    assert answer[1][b"content-type"] == b"text/html"
    await sim.control("DELETE", "/faults")
    assert await sim.pins() == []


@pytest.mark.parametrize(("status", "error"), [(403, "Forbidden"), (429, "Too Many Requests")])
async def test_a_caller_who_is_turned_away_is_told_so_in_json_of_another(sim, status, error):
    await arm(sim, f"http_{status}")
    answer = await sim.raw("POST", "/v3/keyboardPwd/add", headers=[("content-type", FORM)])
    assert (answer[0], answer[1][b"content-type"]) == (status, b"application/json;charset=UTF-8")
    assert orjson.loads(answer[2]) == {"status": status, "error": error, "path": "/v3/keyboardPwd/add"}
    assert await sim.pins() == []


async def test_a_truncated_answer_is_half_of_one_to_what_was_done(sim):
    await arm(sim, "truncated")
    with pytest.raises(orjson.JSONDecodeError):
        await sim.add_pin("482913")
    assert [row["keyboardPwd"] for row in await sim.pins()] == ["482913"]
    assert await sim.try_door(pin="482913") == "open"


async def test_a_business_error_does_nothing(sim):
    await arm(sim, "errcode:-3003")
    assert (await sim.add_pin("482913"))["errcode"] == -3003
    assert await sim.try_door(pin="482913") == "unknown"


async def test_a_slow_request_takes_its_time_and_succeeds(sim):
    await arm(sim, "slow", seconds=2.5)
    assert "keyboardPwdId" in await sim.add_pin()
    assert sim.slept == [2.5]


async def test_a_rule_strikes_its_operation_after_some_calls_and_some_times(sim):
    await arm(sim, "errcode:90000", "lock/list", after=2, times=2)
    assert "keyboardPwdId" in await sim.add_pin()
    assert await errcodes(sim, 6) == [0, 0, 90000, 90000, 0, 0]


async def test_a_rule_strikes_in_a_share_of_the_cases_and_a_seed_repeats_it():
    async def run(seed):
        sim = Integrator(seed)
        await sim.login()
        await arm(sim, "errcode:90000", "*", pct=20)
        return await errcodes(sim, 200)

    first = await run(1)
    assert 20 <= first.count(90000) <= 60
    assert await run(1) == first
    assert await run(2) != first


async def test_rules_can_be_given_from_the_beginning():
    sim = Integrator(faults=(FaultRule("oauth2/token", "errcode:90000", times=1),))
    assert (await sim.token())["errcode"] == 90000
    assert (await sim.login())["uid"]


async def test_rules_are_listed_with_their_counts_and_lifted(sim):
    first = await arm(sim, "errcode:1", "lock/list", after=1)
    await arm(sim, "drop", "key/send")
    await errcodes(sim, 3)
    _, rules = await sim.control("GET", "/faults")
    assert [(rule["number"], rule["seen"], rule["struck"]) for rule in rules] == [(1, 3, 2), (2, 0, 0)]
    _, left = await sim.control("DELETE", f"/faults/{first['number']}")
    assert [rule["number"] for rule in left] == [2]
    assert await errcodes(sim, 1) == [0]


@pytest.mark.parametrize(
    "body",
    [
        {"operation": "keyboardPwd/ad", "fault": "drop"},
        {"operation": "*", "fault": "explode"},
        {"operation": "*", "fault": "errcode:x"},
        {"operation": "*", "fault": "drop", "pct": 101},
        {"operation": "*", "fault": "drop", "after": -1},
        {"operation": "*", "fault": "drop", "time": 1},
    ],
)
async def test_a_rule_that_cannot_be_is_refused(sim, body):
    status, answer = await sim.control("POST", "/faults", body)
    assert status == 422
    assert answer["error"]["fields"][0]["problem"]


async def test_a_rule_for_no_operation_is_refused_with_those_there_are(sim):
    _, known = await sim.control("GET", "/operations")
    assert set(known["faults"]) == {
        *("drop", "timeout_after_success", "truncated", "slow", "errcode:N"),
        *("http_403", "http_429", "http_500", "http_502"),
    }
    _, answer = await sim.control("POST", "/faults", {"operation": "keyboardPwd/ad", "fault": "drop"})
    assert answer["error"]["fields"][0]["problem"].endswith(f"*, {', '.join(known['operations'])}")


@pytest.mark.parametrize("options", [{"pct": 101}, {"after": -1}, {"times": -1}, {"seconds": -1}])
def test_an_impossible_rule_cannot_be_made(options):
    with pytest.raises(ValueError, match=r"percentage|negative"):
        FaultRule("*", "drop", **options)


async def test_struck_requests_are_told_apart_in_the_log(sim):
    await arm(sim, "timeout_after_success", times=1)
    with pytest.raises(ConnectionCut):
        await sim.add_pin("482913")
    await arm(sim, "http_500", times=1)
    await sim.raw("POST", "/v3/keyboardPwd/add", headers=[("content-type", FORM)])
    _, log = await sim.control("GET", "/requests?operation=keyboardPwd/add")
    assert [(entry["fault"], entry["status"], entry["executed"]) for entry in log] == [
        ("timeout_after_success", None, True),
        ("http_500", 500, False),
    ]
    _, counts = await sim.control("GET", "/counters")
    assert counts["keyboardPwd/add"] == {"calls": 2, "executed": 1, "refused": 0, "faulted": 2}
