"""The JSON protocol: what goes into the address and what into the body, and what counts as a no."""

import orjson
import pytest

from shared.domain.secret import Secret
from shared.vendor_kit.asks import Ask
from shared.vendor_kit.guard import VendorDown
from shared.vendor_kit.http import Answer
from shared.vendor_kit.json_protocol import JsonProtocol
from shared.vendor_kit.refusals import Unreadable, VendorRefused

PROTOCOL = JsonProtocol("https://acme.test", lambda body: body.get("code"))


def ask(method, **more):
    """Return a request with a secret in it."""
    return Ask(method, "/v1/locks/7/keys", {"pin": "583914"}, lambda answer: answer, **more)


@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_a_question_s_fields_stand_in_its_query(method):
    call = PROTOCOL.prepared(ask(method), None)
    assert (call.url, call.body) == ("https://acme.test/v1/locks/7/keys?pin=583914", b"")


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH"])
def test_an_order_s_fields_stand_in_its_body_with_token_and_nonce(method):
    call = PROTOCOL.prepared(ask(method, nonce="once"), Secret("t0ken"))
    assert call.url == "https://acme.test/v1/locks/7/keys"
    assert orjson.loads(call.body) == {"pin": "583914"}
    assert (call.headers["authorization"], call.headers["idempotency-key"]) == ("Bearer t0ken", "once")


def test_a_request_is_recorded_without_anybody_s_id():
    assert PROTOCOL.named(ask("POST")) == "POST locks"


@pytest.mark.parametrize(
    ("status", "body", "code"),
    [(409, b'{"code":"pin_taken"}', "pin_taken"), (404, b"", "404"), (401, b"<html>", "401")],
)
def test_a_refusal_has_the_vendor_s_code_or_else_the_status(status, body, code):
    answer = Answer(status, {}, body)
    with pytest.raises(VendorRefused) as refused:
        PROTOCOL.judge(answer, PROTOCOL.content(answer))
    assert refused.value.code == code


def test_a_code_that_may_be_anything_is_repeated_to_nobody():
    answer = Answer(400, {}, b'{"code":"pin 583914 is bad"}')
    with pytest.raises(VendorRefused) as refused:
        PROTOCOL.judge(answer, PROTOCOL.content(answer))
    assert refused.value.code == "400"


@pytest.mark.parametrize("status", [500, 503])
def test_a_broken_platform_is_one_whatever_it_says(status):
    with pytest.raises(VendorDown):
        PROTOCOL.content(Answer(status, {}, b"{}"))


@pytest.mark.parametrize("body", [b"[]", b"{", b"null"])
def test_a_yes_that_is_no_object_is_none(body):
    with pytest.raises(Unreadable):
        PROTOCOL.content(Answer(200, {}, body))


def test_nobody_is_sent_elsewhere():
    answer = Answer(302, {"location": "https://elsewhere.test"}, b"")
    with pytest.raises(Unreadable):
        PROTOCOL.judge(answer, PROTOCOL.content(answer))


def test_an_empty_yes_is_an_empty_object():
    answer = Answer(204, {}, b"")
    assert PROTOCOL.content(answer) == {}
    PROTOCOL.judge(answer, {})
