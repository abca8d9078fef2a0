"""Requests say what the vendor's pages say, and answers are read from bytes as they come."""

from datetime import UTC, datetime, timedelta

import orjson
import pytest

from shared.domain.secret import Secret
from shared.vendor_kit.asks import Addition, Row
from shared.vendor_kit.grids import Bounds
from shared.vendor_kit.relays import WEAKEST, Near
from shared.vendors.ttlock import api, inventory

BOUNDS = Bounds(datetime(2026, 5, 1, 9, tzinfo=UTC), datetime(2026, 5, 3, 7, 30, tzinfo=UTC))
DATES = {"startDate": 1777626000000, "endDate": 1777793400000}
REF = Secret("24242")
PIN = Addition("1000101", "MM-a7937b64b8ca", Secret("583914"), BOUNDS, "nonce")
DONE = b'{"errcode":0,"errmsg":"none error message","description":"yes"}'

REQUESTS = {
    "passcode added": (
        api.add_passcode(PIN),
        ("POST", "/v3/keyboardPwd/add"),
        {
            "lockId": "1000101",
            "keyboardPwd": "583914",
            "keyboardPwdName": "MM-a7937b64b8ca",
            "keyboardPwdType": 3,
            "addType": 2,
            **DATES,
        },
    ),
    "passcode moved": (
        api.change_passcode("1", REF, BOUNDS),
        ("POST", "/v3/keyboardPwd/change"),
        {"lockId": "1", "keyboardPwdId": "24242", "changeType": 2, **DATES},
    ),
    "passcode deleted": (
        api.delete_passcode("1", REF),
        ("POST", "/v3/keyboardPwd/delete"),
        {"lockId": "1", "keyboardPwdId": "24242", "deleteType": 2},
    ),
    "passcode computed": (
        api.compute_passcode("1", "MM-1", BOUNDS),
        ("POST", "/v3/keyboardPwd/get"),
        {"lockId": "1", "keyboardPwdName": "MM-1", "keyboardPwdType": 3, **DATES},
    ),
    "passcodes listed": (
        api.list_passcodes("1", "MM-1", 2),
        ("GET", "/v3/lock/listKeyboardPwd"),
        {"lockId": "1", "searchStr": "MM-1", "pageNo": 2, "pageSize": 200, "orderBy": 1},
    ),
    "card added": (
        api.add_card(PIN),
        ("POST", "/v3/identityCard/add"),
        {"lockId": "1000101", "cardNumber": "583914", "cardName": "MM-a7937b64b8ca", "addType": 2, **DATES},
    ),
    "card moved": (
        api.change_card("1", REF, BOUNDS),
        ("POST", "/v3/identityCard/changePeriod"),
        {"lockId": "1", "cardId": "24242", "changeType": 2, **DATES},
    ),
    "card deleted": (
        api.delete_card("1", REF),
        ("POST", "/v3/identityCard/delete"),
        {"lockId": "1", "cardId": "24242", "deleteType": 2},
    ),
    "cards listed": (
        api.list_names_of_card("1", Secret("2914857316"), 1),
        ("GET", "/v3/identityCard/list"),
        {"lockId": "1", "pageNo": 1, "pageSize": 200, "orderBy": 1},
    ),
    "eKey sent": (
        api.send_ekey(PIN),
        ("POST", "/v3/key/send"),
        {
            "lockId": "1000101",
            "receiverUsername": "583914",
            "keyName": "MM-a7937b64b8ca",
            "remoteEnable": 2,
            **DATES,
        },
    ),
    "eKey moved": (
        api.change_ekey("1", REF, BOUNDS),
        ("POST", "/v3/key/changePeriod"),
        {"keyId": "24242", **DATES},
    ),
    "eKey deleted": (api.delete_ekey("1", REF), ("POST", "/v3/key/delete"), {"keyId": "24242"}),
    "eKey frozen": (api.freeze_ekey(REF), ("POST", "/v3/key/freeze"), {"keyId": "24242"}),
    "eKey unfrozen": (api.unfreeze_ekey(REF), ("POST", "/v3/key/unfreeze"), {"keyId": "24242"}),
    "locks listed": (
        inventory.list_locks(1),
        ("GET", "/v3/lock/list"),
        {"pageNo": 1, "pageSize": 200, "orderBy": 1},
    ),
    "lock asked for its time": (inventory.query_date("1"), ("GET", "/v3/lock/queryDate"), {"lockId": "1"}),
}


def read(ask, raw):
    """Return what a request's reader makes of bytes."""
    return ask.read(orjson.loads(raw))


@pytest.mark.parametrize(("ask", "line", "params"), REQUESTS.values(), ids=REQUESTS)
def test_request_says_what_is_wanted(ask, line, params):
    assert ((ask.method, ask.path), dict(ask.params)) == (line, params)


@pytest.mark.parametrize("ask", [request[0] for request in REQUESTS.values()], ids=REQUESTS)
def test_request_shows_no_secret(ask):
    assert "583914" not in repr(ask)
    assert "24242" not in repr(ask)


@pytest.mark.parametrize("name", ["passcode added", "card added", "eKey sent"])
def test_only_what_adds_carries_the_nonce(name):
    assert REQUESTS[name][0].nonce == "nonce"
    assert {each[0].nonce for other, each in REQUESTS.items() if not other.endswith(("added", "sent"))} == {
        None
    }


@pytest.mark.parametrize(
    ("ask", "raw", "ref"),
    [
        (api.add_passcode(PIN), b'{"keyboardPwdId":24242}', "24242"),
        (api.add_card(PIN), b'{"cardId":113}', "113"),
        (api.send_ekey(PIN), b'{"keyId":234522,"errcode":0,"errmsg":"none error message"}', "234522"),
    ],
)
def test_number_of_what_was_added_is_read(ask, raw, ref):
    assert read(ask, raw) == Secret(ref)


def test_success_of_a_command_is_nothing():
    assert read(api.delete_passcode("1", REF), DONE) is None


def test_computed_passcode_is_read():
    row = read(api.compute_passcode("1", "MM-1", BOUNDS), b'{"keyboardPwd":"7281934","keyboardPwdId":9}')
    assert row == Row(Secret("9"), BOUNDS, Secret("7281934"), computed=True)


def test_list_of_passcodes_is_read():
    raw = b"""{"list":[
      {"lockId":1,"keyboardPwdId":24242,"keyboardPwd":"583914","keyboardPwdName":"MM-1","keyboardPwdType":3,
       "startDate":1777626000000,"endDate":1777793400000,"sendDate":1777626000000,"isCustom":1,"status":1},
      {"keyboardPwdId":8,"keyboardPwdName":null},{"keyboardPwdName":"MM-10"},{"keyboardPwdName":"mm-1"},
      {"lockId":1,"keyboardPwdId":9,"keyboardPwd":"7281934","keyboardPwdName":"MM-1","keyboardPwdType":"2",
       "isCustom":"0"}],
      "pageNo":1,"pageSize":100,"pages":3,"total":201}"""
    page = read(api.list_passcodes("1", "MM-1", 1), raw)
    first, second = page.rows
    assert first == Row(Secret("24242"), BOUNDS, Secret("583914"))
    assert (second.computed, page.more, page.total) == (True, True, 201)


def test_list_of_ekeys_tells_the_frozen_from_the_others():
    raw = b"""{"list":[{"keyId":1,"keyName":"MM-1","keyStatus":"110405","startDate":0,"endDate":0},
      {"keyId":2,"keyName":"MM-1","keyStatus":"110401","startDate":0,"endDate":0}],"pages":1}"""
    page = read(api.list_ekeys("1", "MM-1", 1), raw)
    assert ([row.frozen for row in page.rows], page.more) == ([True, False], False)


def test_list_of_cards_is_read():
    raw = b"""{"list":[{"cardId":5,"cardName":"MM-1","cardNumber":"2914857316","startDate":1777626000000,
      "endDate":1777793400000}],"pages":1}"""
    assert read(api.list_cards("1", "MM-1", 1), raw).rows == (Row(Secret("5"), BOUNDS, Secret("2914857316")),)


def test_names_of_a_card_and_of_a_receiver_are_read():
    cards = b"""{"list":[{"cardNumber":"29","cardName":"MM-1"},{"cardNumber":"30","cardName":"MM-2"},
      {"cardNumber":29,"cardName":null},{}],"pages":1}"""
    assert read(api.list_names_of_card("1", Secret("29"), 1), cards).rows == ("MM-1", "")
    keys = b'{"list":[{"username":"Guest@example.org","keyName":"MM-1"},{"username":null}],"pages":1}'
    assert read(api.list_names_of_receiver("1", Secret("guest@example.org"), 1), keys).rows == ("MM-1",)


@pytest.mark.parametrize(("count", "more"), [(200, True), (199, False)])
def test_list_that_tells_no_pages_goes_on_while_pages_are_full(count, more):
    rows = [{"lockId": n, "lockAlias": "a"} for n in range(count)]
    assert read(inventory.list_locks(1), orjson.dumps({"list": rows})).more is more


def test_list_ends_with_a_page_of_nothing_whatever_it_says():
    assert not read(inventory.list_locks(1), b'{"list":[],"pages":1000000}').more


def test_of_a_lock_s_detail_two_fields_are_kept():
    raw = b"""{"lockId":1,"adminPwd":"canary","noKeyPwd":"canary","aesKeyStr":"canary","lockKey":"canary",
      "electricQuantity":85,"timezoneRawOffset":16200000}"""
    detail = read(inventory.lock_detail("1"), raw)
    ahead = read(inventory.clock_ahead("1"), raw)
    assert (detail.battery, ahead) == (85, timedelta(hours=4, minutes=30))
    assert "canary" not in repr((detail, ahead))


def test_time_of_a_lock_is_read():
    assert read(inventory.query_date("1"), b'{"date":1777626000000}') == BOUNDS.start


def test_gateways_and_their_locks_are_read():
    raw = b'{"list":[{"gatewayId":501,"isOnline":1},{"gatewayId":502,"isOnline":0}],"pages":1}'
    assert [gateway.online for gateway in read(inventory.list_gateways(1), raw).rows] == [True, False]
    locks = b'{"list":[{"lockId":1,"rssi":-65},{"lockId":2}]}'
    assert read(inventory.list_locks_of_gateway("501"), locks) == (
        Near("1", -65),
        Near("2", WEAKEST),
    )
    near = b'{"list":[{"gatewayId":501,"gatewayName":"a","rssi":-80,"rssiUpdateDate":1777626000000}]}'
    assert read(inventory.list_gateways_of_lock("1"), near) == (Near("501", -80),)
