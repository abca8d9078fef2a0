"""Standard Webhooks: the published vector, five minutes, rotation, and what strangers make of headers."""

import base64
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.domain.secret import Secret
from shared.vendor_kit.standard_webhooks import proven, signature

SECRET = Secret(b"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
OTHER = Secret(b"whsec_" + base64.b64encode(b"o" * 32))
BODY = b'{"test": 2432232314}'
SENT = datetime(2021, 2, 25, 15, 2, 10, tzinfo=UTC)
SIGNED = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
HEADERS = {
    "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
    "webhook-timestamp": "1614265330",
    "webhook-signature": SIGNED,
}


def test_the_published_vector_is_proven():
    assert signature(SECRET, HEADERS["webhook-id"], 1614265330, BODY) == SIGNED
    assert proven(HEADERS, BODY, [SECRET], SENT)


@pytest.mark.parametrize("late", [timedelta(minutes=5), timedelta(minutes=-5)])
def test_it_counts_for_five_minutes_either_way_and_no_longer(late):
    assert proven(HEADERS, BODY, [SECRET], SENT + late)
    assert not proven(HEADERS, BODY, [SECRET], SENT + late * 1.01)


def test_while_secrets_change_either_side_may_have_two():
    both = {**HEADERS, "webhook-signature": f"v1,{'A' * 43}= {SIGNED}"}
    assert proven(both, BODY, [OTHER, SECRET], SENT)
    assert not proven(HEADERS, BODY, [OTHER], SENT)


@pytest.mark.parametrize(
    "changed",
    [
        {"webhook-id": "msg_2"},
        {"webhook-id": ""},
        {"webhook-timestamp": "1614265331"},
        {"webhook-timestamp": "١٦١٤٢٦٥٣٣٠"},
        {"webhook-timestamp": "1614265330.0"},
        {"webhook-timestamp": "9" * 40},
        {"webhook-signature": SIGNED.removeprefix("v1,")},
        {"webhook-signature": SIGNED.replace("v1", "v1a")},
        {"webhook-signature": f"{SIGNED}, {SIGNED}"},
        {"webhook-signature": "v1,ü"},
        {"webhook-signature": " ".join(["v1,x"] * 8 + [SIGNED])},
    ],
)
def test_what_is_changed_is_not_proven(changed):
    assert not proven({**HEADERS, **changed}, BODY, [SECRET], SENT)


@pytest.mark.parametrize("secret", [b"", b"whsec_", b"whsec_!!!", b"whsec_" + base64.b64encode(b"x" * 23)])
def test_what_is_no_secret_proves_nothing(secret):
    assert not proven(HEADERS, BODY, [Secret(secret)], SENT)
    assert not proven(HEADERS, BODY, [], SENT)


NAMES = st.sampled_from([*HEADERS, "content-type"])


@given(st.dictionaries(NAMES, st.text(max_size=80)), st.binary(max_size=200))
def test_strangers_prove_nothing_and_break_nothing(headers, body):
    assert not proven(headers, body, [SECRET, OTHER], SENT)
