"""SMS and pushes over their providers' APIs: what is asked, and what each answer means."""

import base64
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qsl

import orjson
import pytest
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa

from shared.domain.secret import Secret
from shared.notify.accounts import PushAccount, SmsAccount
from shared.notify.push import FcmCarrier
from shared.notify.sms import TwilioCarrier, signature_of
from shared.ports.messengers import NotNow, OutcomeUnknown, PushMessage, Refused, ShortMessage
from shared.vendor_kit.http import Answer, ConnectionFailed, TimedOut

NOW = datetime(2026, 3, 1, 9, tzinfo=UTC)
SMS = SmsAccount("https://api.sms.example", "AC1", Secret("tok"), "SilkRoad")
FCM_ERROR = "type.googleapis.com/google.firebase.fcm.v1.FcmError"
KEY = rsa.generate_private_key(65537, 2048)
PEM = KEY.private_bytes(
    serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
)
EC_PEM = ec.generate_private_key(ec.SECP256R1()).private_bytes(
    serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
)
LOCKED_PEM = KEY.private_bytes(
    serialization.Encoding.PEM,
    serialization.PrivateFormat.PKCS8,
    serialization.BestAvailableEncryption(b"passphrase"),
)
PUSH = PushAccount(
    "https://fcm.example", "https://oauth.example", "silk", "me@silk.example", Secret(PEM.decode())
)


class Provider:
    """Answers what was planned, in order."""

    def __init__(self, *answers):
        self.answers, self.calls = list(answers), []

    async def send(self, call):
        self.calls.append(call)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        status, said, *headers = answer
        return Answer(status, headers[0] if headers else {}, orjson.dumps(said))


class Still:
    """A clock that stands."""

    def now(self):
        return NOW


def short(**more):
    return ShortMessage(Secret("+93700555121"), "a code", "https://k.example/message-status/1", **more)


async def test_an_sms_asks_its_provider_to_keep_neither_words_nor_number():
    provider = Provider((201, {"sid": "SM1"}))
    assert await TwilioCarrier(SMS, provider).send(short()) == "SM1"
    (call,) = provider.calls
    assert call.url == "https://api.sms.example/2010-04-01/Accounts/AC1/Messages.json"
    assert call.headers["authorization"] == f"Basic {base64.b64encode(b'AC1:tok').decode()}"
    form = dict(parse_qsl(call.body.decode()))
    assert (form["ContentRetention"], form["AddressRetention"]) == ("discard", "obfuscate")
    assert (form["To"], form["From"], form["Body"]) == ("+93700555121", "SilkRoad", "a code")


async def test_an_sms_that_may_have_gone_is_looked_for_before_it_is_sent():
    listed = {"messages": [{"sid": "SM7", "from": "SilkRoad"}]}
    provider = Provider((200, listed))
    assert await TwilioCarrier(SMS, provider).send(short(tried_since=NOW)) == "SM7"
    provider = Provider((200, {"messages": [{"sid": "SM8", "from": "Another"}]}), (201, {"sid": "SM9"}))
    assert await TwilioCarrier(SMS, provider).send(short(tried_since=NOW)) == "SM9"


@pytest.mark.parametrize(
    ("answer", "kind", "reason"),
    [
        ((400, {"code": 21211}), Refused, "no_such_number"),
        ((400, {"code": 21610}), Refused, "opted_out"),
        ((400, {"code": 99999}), NotNow, "provider_refused"),
        ((401, {"code": 20003}), NotNow, "provider_refused"),
        ((503, {}), OutcomeUnknown, "provider_broke"),
        (TimedOut("late"), OutcomeUnknown, "no_answer"),
        (ConnectionFailed("down"), NotNow, "out_of_reach"),
    ],
)
async def test_an_sms_is_refused_for_good_for_now_or_nobody_knows(answer, kind, reason):
    with pytest.raises(kind) as trouble:
        await TwilioCarrier(SMS, Provider(answer)).send(short())
    assert trouble.value.reason == reason


async def test_a_provider_says_when_to_come_again():
    with pytest.raises(NotNow) as trouble:
        await TwilioCarrier(SMS, Provider((429, {"code": 20429}, {"retry-after": "90"}))).send(short())
    assert trouble.value.after == timedelta(seconds=90)


@pytest.mark.parametrize(
    ("said", "after"),
    [
        ("9" * 30, timedelta(days=1)),
        ("9" * 6000, timedelta(days=1)),
        ("٩٩", None),
        ("Sun, 01 Mar 2026 10:00:00 GMT", None),
    ],
)
async def test_no_provider_puts_a_message_off_for_ever_or_breaks_us(said, after):
    busy = (429, {"code": 20429}, {"retry-after": said})
    tries = (
        TwilioCarrier(SMS, Provider(busy)).send(short()),
        FcmCarrier(PUSH, Provider(TOKEN, busy), Still()).send(push()),
    )
    for sending in tries:
        with pytest.raises(NotNow) as trouble:
            await sending
        assert (trouble.value.reason, trouble.value.after) == ("provider_refused", after)


async def test_a_list_of_what_went_that_is_none_of_ours_has_nothing():
    provider = Provider((200, {"messages": ["SM7", None, {"sid": "SM8"}]}), (201, {"sid": "SM9"}))
    assert await TwilioCarrier(SMS, provider).send(short(tried_since=NOW)) == "SM9"


def test_a_status_is_signed_as_the_provider_documents_it():
    # The example of Twilio's own page on validating requests.
    form = {
        "CallSid": "CA1234567890ABCDE",
        "Caller": "+14158675309",
        "Digits": "1234",
        "From": "+14158675309",
        "To": "+18005551212",
    }
    url = "https://mycompany.com/myapp.php?foo=1&bar=2"
    assert signature_of(Secret("12345"), url, form) == "RSOYDt4T1cUTdK1PDd93/VVr8B8="


def push(kind="fid"):
    data = {"link": "https://k.example/en/x"}
    return PushMessage(Secret("device-1"), kind, "Ready", "Tap", data, timedelta(seconds=60))


TOKEN = (200, {"access_token": "at", "expires_in": 3600})


@pytest.mark.parametrize("kind", ["fid", "token"])
async def test_a_push_is_signed_for_and_short_lived(kind):
    provider = Provider(TOKEN, (200, {"name": "projects/silk/messages/1"}), (200, {"name": "2"}))
    carrier = FcmCarrier(PUSH, provider, Still())
    assert await carrier.send(push(kind)) == "projects/silk/messages/1"
    assert await carrier.send(push(kind)) == "2"
    asked, sent, _ = provider.calls
    _assert_signed(dict(parse_qsl(asked.body.decode()))["assertion"])
    assert sent.url == "https://fcm.example/v1/projects/silk/messages:send"
    assert sent.headers["authorization"] == "Bearer at"
    message = orjson.loads(sent.body)["message"]
    assert message[kind] == "device-1"
    assert message["android"] == {"priority": "high", "ttl": "60s"}
    assert message["apns"]["headers"]["apns-expiration"] == str(int(NOW.timestamp()) + 60)
    assert all(isinstance(value, str) for value in message["data"].values())


def _assert_signed(assertion):
    head, claims, signature = assertion.split(".")
    raw = base64.urlsafe_b64decode(signature + "==")
    KEY.public_key().verify(raw, f"{head}.{claims}".encode(), padding.PKCS1v15(), hashes.SHA256())
    said = orjson.loads(base64.urlsafe_b64decode(claims + "=="))
    assert (said["iss"], said["aud"]) == ("me@silk.example", "https://oauth.example/token")


@pytest.mark.parametrize(
    ("status", "code", "kind", "reason"),
    [
        (404, "UNREGISTERED", Refused, "app_gone"),
        (403, "SENDER_ID_MISMATCH", Refused, "other_app"),
        (400, "INVALID_ARGUMENT", Refused, "no_such_device"),
        (429, "QUOTA_EXCEEDED", NotNow, "provider_refused"),
        (503, "UNAVAILABLE", NotNow, "provider_refused"),
        (401, "THIRD_PARTY_AUTH_ERROR", NotNow, "provider_refused"),
    ],
)
async def test_a_push_is_refused_by_fcms_own_word(status, code, kind, reason):
    answer = (status, {"error": {"status": "X", "details": [{"@type": FCM_ERROR, "errorCode": code}]}})
    with pytest.raises(kind) as trouble:
        await FcmCarrier(PUSH, Provider(TOKEN, answer), Still()).send(push())
    assert trouble.value.reason == reason


async def test_a_bad_request_of_ours_is_no_fault_of_the_device():
    answer = (400, {"error": {"status": "INVALID_ARGUMENT", "details": [{"@type": "BadRequest"}]}})
    with pytest.raises(NotNow):
        await FcmCarrier(PUSH, Provider(TOKEN, answer), Still()).send(push())


async def test_an_account_that_is_refused_says_so_and_keeps_the_message_for_later():
    with pytest.raises(NotNow, match="account refused"):
        await FcmCarrier(PUSH, Provider((400, {"error": "invalid_grant"})), Still()).send(push())


@pytest.mark.parametrize("key", ["no key", PEM.decode()[:300], EC_PEM.decode(), LOCKED_PEM.decode(), "ключ"])
async def test_an_accounts_key_that_nobody_can_read_says_so_and_is_not_quoted(key):
    account = replace(PUSH, key=Secret(key))
    with pytest.raises(NotNow) as trouble:
        await FcmCarrier(account, Provider(), Still()).send(push())
    assert trouble.value.reason == "account_unreadable"
    assert trouble.value.__cause__ is None


@pytest.mark.parametrize("lasts", ["soon", None, -5, 3.5, [], "9x"])
async def test_a_token_whose_life_nobody_can_read_is_not_used(lasts):
    granted = (200, {"access_token": "at", "expires_in": lasts})
    with pytest.raises(NotNow) as trouble:
        await FcmCarrier(PUSH, Provider(granted), Still()).send(push())
    assert trouble.value.reason == "answer_unreadable"
