"""Visionline's requests are signed as its interface wants, and its times are the hotel's."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import orjson
import pytest

from shared.domain.secret import Secret
from shared.vendor_kit.asks import Ask
from shared.vendor_kit.carried_keys import NewCarried
from shared.vendor_kit.grids import Bounds
from shared.vendor_kit.guard import VendorDown
from shared.vendor_kit.http import Answer
from shared.vendor_kit.refusals import Unreadable, VendorRefused
from shared.vendors.assa_abloy import visionline
from shared.vendors.assa_abloy.visionline import VisionlineProtocol, add_key, list_keys, signature

NOON = datetime(2025, 12, 1, 12, 0, tzinfo=UTC)
DATE = "Mon, 01 Dec 2025 12:00:00 GMT"
ACCESS = Secret("session-1:test-access-key")
KABUL = ZoneInfo("Asia/Kabul")


class Noon:
    """A clock that stands still."""

    def now(self):
        return NOON


PROTOCOL = VisionlineProtocol("https://visionline.hotel.example", Noon())


def test_the_signature_is_that_of_the_golden_vector():
    lines = ["GET", "", "", DATE, "/api/v1/doors"]
    assert signature("test-access-key", lines) == "z8wnWgwFFlWOQ8+5qgws05nSD0U="


def test_a_question_is_signed_without_a_body():
    call = PROTOCOL.prepared(visionline.list_doors(), ACCESS)
    assert call.headers["authorization"] == "AWS session-1:z8wnWgwFFlWOQ8+5qgws05nSD0U="
    assert (call.headers["date"], call.body, "content-md5" in call.headers) == (DATE, b"", False)


def test_a_query_is_part_of_what_is_signed():
    ask = list_keys("101", NOON, KABUL)
    call = PROTOCOL.prepared(ask, ACCESS)
    path = "/api/v1/cards?guestDoor=101&validTime=20251201T1630"
    assert call.url == f"https://visionline.hotel.example{path}"
    proof = signature("test-access-key", ["GET", "", "", DATE, path])
    assert call.headers["authorization"].endswith(f":{proof}")
    assert "101" not in PROTOCOL.named(ask)


@pytest.mark.parametrize(("overrides", "word"), [(True, "override=true"), (False, "autoJoin=true")])
def test_a_key_is_put_on_a_phone_in_the_hotel_s_time(overrides, word):
    new = NewCarried("MM-1", Secret("phone"), "101", Bounds(NOON, NOON), overrides=overrides, nonce="n")
    call = PROTOCOL.prepared(add_key(new, KABUL), ACCESS)
    told = orjson.loads(call.body)
    assert call.url.endswith(f"/api/v1/cards?action=mobileAccess&{word}")
    assert (told["expireTime"], told["endPointID"], told["description"]) == ("20251201T1630", "phone", "MM-1")
    assert told["doorOperations"] == [{"operation": "guest", "doors": ["101"]}]
    assert "phone" not in repr(new)


def test_a_session_is_asked_for_unsigned():
    ask = visionline.open_session({"username": "a", "password": "b"}, lambda told: told)
    call = PROTOCOL.prepared(ask, None)
    assert "authorization" not in call.headers
    told = ask.read({"id": "s", "accessKey": "k"})
    assert told["access_token"] == "s:k"


def test_listed_keys_are_read_from_a_bare_list():
    row = {"credentialId": 7, "description": "MM-1", "endPointID": "phone", "expireTime": "20251201T1630"}
    (key,) = list_keys("101", NOON, KABUL).read([row])
    assert (key.ref, key.name, key.secret, key.end) == (Secret("7"), "MM-1", Secret("phone"), NOON)
    with pytest.raises(TypeError):
        list_keys("101", NOON, KABUL).read({"cards": [row]})


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (Answer(500, body=b"<html>"), VendorDown),
        (Answer(200, body=b"<html>"), Unreadable),
        (Answer(404, body=b"<html>"), VendorRefused),
        (Answer(401), VendorRefused),
    ],
)
def test_what_is_no_yes_is_none(answer, error):
    with pytest.raises(error):
        PROTOCOL.judge(answer, PROTOCOL.content(answer))


def test_what_an_ask_is_called_names_nobody():
    assert PROTOCOL.named(Ask("POST", "/api/v1/cards?action=mobileAccess", {}, dict)) == "POST cards"
