"""The wire: methods, forms, the date rule, who may call, and that business errors come under HTTP 200."""

from urllib.parse import urlencode

import pytest

from infra.simulators.kit.errors import ConnectionCut
from infra.simulators.ttlock.errors import MEANINGS
from infra.simulators.ttlock.platform import OPERATIONS

FORM = ("content-type", "application/x-www-form-urlencoded")
PROMISED = {
    "oauth2": ["token"],
    "lock": [
        "list",
        "detail",
        "queryDate",
        "updateDate",
        "queryElectricQuantity",
        "queryOpenState",
        "queryStatus",
        "freeze",
        "unfreeze",
        "listKeyboardPwd",
        "listKey",
    ],
    "gateway": ["list", "listLock", "detail"],
    "keyboardPwd": ["get", "add", "change", "delete", "deleteByCode"],
    "key": ["send", "freeze", "unfreeze", "delete", "changePeriod", "batchSend", "getUnlockLink"],
    "identityCard": ["add", "addForReversedCardNumber", "changePeriod", "delete", "list"],
    "qrCode": ["add", "getData", "list", "delete"],
    "lockRecord": ["list"],
    "app": ["getMonthRequestCount"],
    "hotel": ["getInfo"],
}
PLAUSIBLE = {
    "lockId": 1000101,
    "gatewayId": 501,
    "keyboardPwdId": 5,
    "keyId": 5,
    "cardId": 5,
    "qrCodeId": 5,
    "startDate": 1777622400000,
    "endDate": 1777712400000,
    "keyboardPwdType": 3,
    "type": 1,
    "keyboardPwd": "583914",
    "cardNumber": "123456",
    "receiverUsername": "guest",
    "keyName": "k",
    "pageNo": 1,
    "pageSize": 20,
    "orderBy": 1,
    "addType": 2,
    "changeType": 2,
    "deleteType": 2,
}
BY_PATH = {operation.path: operation for operation in OPERATIONS.all}
NUMBERS = ("date", *(field for field, value in PLAUSIBLE.items() if isinstance(value, int)), "cardNumber")
WITH_TOKEN = sorted(path for path, operation in BY_PATH.items() if operation.access.name == "TOKEN")


async def ask(sim, path, **fields):
    """Call any operation by its own method."""
    return await (sim.get if BY_PATH[path].method == "GET" else sim.post)(path, **fields)


@pytest.mark.parametrize("resource", PROMISED)
def test_every_promised_operation_is_there(resource):
    offered = {*OPERATIONS.names}
    assert {f"{resource}/{action}" for action in PROMISED[resource]} <= offered


@pytest.mark.parametrize("path", WITH_TOKEN)
async def test_every_call_needs_client_token_and_date(sim, path):
    for field, errcode in [("clientId", 10000), ("accessToken", 10003), ("date", -3)]:
        assert (await ask(sim, path, **{field: None}))["errcode"] == errcode


@pytest.mark.parametrize("path", WITH_TOKEN)
async def test_every_call_must_say_the_present_within_five_minutes(sim, path):
    for minutes in (-5.1, 5.1):
        date = sim.ms + int(minutes * 60_000)
        assert (await ask(sim, path, date=date))["errcode"] == 80000


@pytest.mark.parametrize("minutes", [-5, 5])
async def test_five_minutes_off_is_still_the_present(sim, minutes):
    answer = await sim.get("/v3/lock/list", pageNo=1, pageSize=1, date=sim.ms + minutes * 60_000)
    assert answer["total"] == 5


async def test_the_date_header_tells_the_simulated_time(sim):
    await sim.control("POST", "/clock", {"advanceSeconds": 3600})
    _, headers, body = await sim.raw("GET", "/v3/lock/list", query=urlencode(sim.identity).encode())
    assert headers[b"date"] == b"Sun, 01 Mar 2026 10:00:00 GMT"
    assert b'"errcode":-3' in body


async def test_an_application_of_another_region_is_refused(at_a_hotel, hotel):
    sim = await at_a_hotel()
    hotel["applications"][0]["region"] = "cn"
    await sim.control("PUT", "/hotel", hotel)
    assert (await sim.get("/v3/lock/list"))["errcode"] == 30008


async def test_a_token_serves_its_own_application_only(at_a_hotel, hotel):
    second = {"clientId": "second", "clientSecret": "other"}
    sim = await at_a_hotel(applications=[*hotel["applications"], second])
    assert (await sim.get("/v3/lock/list", clientId="second"))["errcode"] == 10004


@pytest.mark.parametrize(
    ("method", "path", "headers", "status"),
    [
        ("GET", "/v3/keyboardPwd/add", [FORM], 405),
        ("POST", "/v3/lock/list", [FORM], 405),
        ("POST", "/v3/keyboardPwd/add", [("content-type", "application/json")], 415),
        ("POST", "/v3/keyboardPwd/add", [], 415),
        ("POST", "/v3/key/get", [FORM], 404),
        ("GET", "/", [], 404),
    ],
)
async def test_a_call_that_is_not_of_the_protocol_is_no_business_error(sim, method, path, headers, status):
    answer = await sim.raw(method, path, headers=headers)
    assert answer[0] == status
    assert (await sim.control("GET", "/requests"))[1][-1]["status"] == status


async def test_a_form_may_name_its_charset(sim):
    headers = [("content-type", "application/x-www-form-urlencoded; charset=UTF-8")]
    assert (await sim.raw("POST", "/v3/keyboardPwd/add", headers=headers))[0] == 200


async def test_fields_of_a_command_in_its_query_do_not_count(sim):
    query = urlencode({**sim.identity, "date": sim.ms, "lockId": 1000101}).encode()
    _, _, body = await sim.raw("POST", "/v3/lock/freeze", query=query, headers=[FORM])
    assert b'"errcode":10000' in body


async def test_bytes_that_are_no_form_are_refused(sim):
    assert (await sim.raw("POST", "/v3/lock/freeze", b"lockId=\xff", headers=[FORM]))[0] == 400
    assert (await sim.raw("POST", "/v3/lock/freeze", b"x" * (1 << 20 | 1), headers=[FORM]))[0] == 413


async def test_unknown_fields_are_ignored(sim):
    assert "keyboardPwdId" in await sim.add_pin(clientNonce="abc")


async def test_commands_say_success_and_queries_do_not(sim):
    assert await sim.post("/v3/lock/freeze", lockId=1000101) == {
        "errcode": 0,
        "errmsg": "none error message",
        "description": "none error message or means yes",
    }
    assert "errcode" not in await sim.get("/v3/lock/list", pageNo=1, pageSize=20)


@pytest.mark.parametrize(
    "fields",
    [
        {"pageNo": 0, "pageSize": 20},
        {"pageNo": 1, "pageSize": 1001},
        {"pageNo": 1},
        {"pageNo": "one", "pageSize": 20},
        {"pageNo": "", "pageSize": 20},
        {"pageNo": "²", "pageSize": 20},
        {"pageNo": "9" * 30, "pageSize": 20},
    ],
)
async def test_a_page_that_cannot_be_is_refused(sim, fields):
    assert (await sim.get("/v3/lock/list", **fields))["errcode"] == -3


@pytest.mark.parametrize(
    "odd", ["9" * 5000, "9" * 30, "-", "--1", "1e3", "１２", "\x00"], ids=lambda odd: ascii(odd[:9])
)
@pytest.mark.parametrize("path", WITH_TOKEN)
async def test_a_number_that_is_none_breaks_nothing(sim, path, odd):
    for field in NUMBERS:
        answer = await ask(sim, path, **{**PLAUSIBLE, field: odd})
        assert answer.get("errcode", 0) in ((-3,) if field == "date" else (0, *MEANINGS))


async def test_lists_are_paged_from_one(sim):
    pages = [await sim.get("/v3/lock/list", pageNo=number, pageSize=2) for number in (1, 2, 3, 4)]
    assert [len(page["list"]) for page in pages] == [2, 2, 1, 0]
    assert {(page["pages"], page["total"], page["pageSize"]) for page in pages} == {(3, 5, 2)}
    assert len({lock["lockId"] for page in pages for lock in page["list"]}) == 5


async def test_encoder_info_needs_the_secret_and_no_token(sim):
    answer = await sim.get("/v3/hotel/getInfo", clientSecret="sim-secret", accessToken=None)
    assert answer["hotelInfo"]
    assert (await sim.get("/v3/hotel/getInfo", clientSecret="no"))["errcode"] == 10001
    assert (await sim.get("/v3/hotel/getInfo", clientSecret="sim-secret", date=0))["errcode"] == 80000


async def test_a_request_whose_caller_hangs_up_in_the_middle_is_not_carried_out(sim):
    messages = [{"type": "http.request", "body": b"lockId=", "more_body": True}, {"type": "http.disconnect"}]

    async def receive():
        return messages.pop(0)

    async def send(message):
        assert message["type"] == "http.response.start"

    headers = [(name.encode(), value.encode()) for name, value in [FORM]]
    scope = {
        "type": "http",
        "method": "POST",
        "path": "/v3/lock/freeze",
        "query_string": b"",
        "headers": headers,
    }
    with pytest.raises(ConnectionCut):
        await sim.app(scope, receive, send)
    assert "lock/freeze" not in (await sim.control("GET", "/counters"))[1]


async def test_a_lifespan_is_not_answered(sim):
    await sim.app({"type": "lifespan"}, None, None)
