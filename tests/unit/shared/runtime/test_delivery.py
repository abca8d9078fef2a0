"""Push bodies: what is read, and what is refused with its field."""

import base64
import json

import pytest

from shared.domain.errors import InvalidInput
from shared.runtime.delivery import Delivery, decode_push


def _body(**changes):
    message = {
        "data": base64.b64encode(b"{}").decode(),
        "messageId": "7",
        "attributes": {"sequence": "3"},
        "orderingKey": "key_1",
    }
    envelope = {"message": message, "subscription": "projects/p/subscriptions/s", "deliveryAttempt": 2}
    envelope.update(changes)
    return json.dumps(envelope).encode()


def test_the_full_envelope_is_read():
    assert decode_push(_body()) == Delivery(
        "7", b"{}", {"sequence": "3"}, "key_1", "projects/p/subscriptions/s", 2
    )


def test_a_message_without_data_is_empty_bytes():
    assert decode_push(_body(message={"messageId": "1"})).data == b""


def test_the_old_spelling_of_the_message_id_is_read():
    assert decode_push(_body(message={"message_id": "9"})).message_id == "9"


@pytest.mark.parametrize(
    ("body", "field"),
    [
        (b"", "body"),
        (b"\xff", "body"),
        (b"[]", "body"),
        (b"{}", "message"),
        (_body(message=[]), "message"),
        (_body(message={"data": "*"}), "message.data"),
        (_body(message={"data": 5}), "message.data"),
        (_body(message={"messageId": 5}), "message.messageId"),
        (_body(message={"attributes": []}), "attributes"),
        (_body(subscription=5), "subscription"),
    ],
)
def test_a_malformed_push_names_the_field(body, field):
    with pytest.raises(InvalidInput) as refusal:
        decode_push(body)
    assert refusal.value.field == field
    assert refusal.value.remedy
