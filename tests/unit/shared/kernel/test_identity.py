"""Identity tokens: what proves a caller, and every way of not proving one."""

import base64
import json
from datetime import UTC, datetime, timedelta

import pytest

from infra.local.identity import LocalIdentity
from shared.kernel.identity import Caller, TokenChecker, Unauthenticated, bearer

AUDIENCE = "http://127.0.0.1:8787/probe-answer"


class Watch:
    """A clock the test sets."""

    def __init__(self):
        self.at = datetime(2026, 5, 1, tzinfo=UTC)

    def now(self):
        return self.at


@pytest.fixture
def watch():
    return Watch()


@pytest.fixture
def identity(watch):
    return LocalIdentity(b"s" * 32, watch.now)


@pytest.fixture
def checker(identity, watch):
    return TokenChecker(identity.issuer, watch.now)


async def test_a_token_proves_its_caller(identity, checker):
    caller = await checker.caller(identity.token("workflow-work-on-key", AUDIENCE), AUDIENCE)
    assert caller == Caller("workflow-work-on-key", "workflow-work-on-key@keyfleet.local")


async def test_a_token_for_another_audience_proves_nothing(identity, checker):
    with pytest.raises(Unauthenticated, match="audience"):
        await checker.caller(identity.token("operator", "http://elsewhere/"), AUDIENCE)


async def test_a_proven_token_is_not_taken_for_another_audience(identity, checker):
    token = identity.token("operator", AUDIENCE)
    await checker.caller(token, AUDIENCE)
    with pytest.raises(Unauthenticated):
        await checker.caller(token, AUDIENCE + "x")


async def test_a_proven_token_expires(identity, checker, watch):
    token = identity.token("operator", AUDIENCE)
    await checker.caller(token, AUDIENCE)
    watch.at += timedelta(hours=1, seconds=31)
    with pytest.raises(Unauthenticated, match="expired"):
        await checker.caller(token, AUDIENCE)


async def test_a_token_from_the_future_is_refused(identity, checker, watch):
    watch.at += timedelta(minutes=5)
    token = identity.token("operator", AUDIENCE)
    watch.at -= timedelta(minutes=5)
    with pytest.raises(Unauthenticated, match="clocks"):
        await checker.caller(token, AUDIENCE)


async def test_a_token_of_another_key_is_refused(checker, watch):
    stranger = LocalIdentity(b"t" * 32, watch.now)
    with pytest.raises(Unauthenticated, match="signature"):
        await checker.caller(stranger.token("operator", AUDIENCE), AUDIENCE)


def _with_header(token: str, **header) -> str:
    encoded = base64.urlsafe_b64encode(json.dumps(header).encode()).rstrip(b"=").decode()
    return ".".join([encoded, *token.split(".")[1:]])


async def test_a_token_without_a_real_algorithm_is_refused(identity, checker):
    token = _with_header(identity.token("operator", AUDIENCE), alg="none")
    with pytest.raises(Unauthenticated, match="signature"):
        await checker.caller(token, AUDIENCE)


@pytest.mark.parametrize(
    "token", ["", "a", "a.b", "a.b.c", "é.é.é", "e30.W10.e30", "e30.e30.", "..", "A" * 9000]
)
async def test_what_is_no_token_is_refused_and_not_quoted(checker, token):
    with pytest.raises(Unauthenticated) as refusal:
        await checker.caller(token, AUDIENCE)
    assert token == "" or len(token) < 4 or token not in str(refusal.value)


async def test_every_changed_character_of_a_token_spoils_it(identity, checker):
    token = identity.token("operator", AUDIENCE)
    for place in range(0, len(token) - 1, 7):
        changed = token[:place] + ("A" if token[place] != "A" else "B") + token[place + 1 :]
        with pytest.raises(Unauthenticated):
            await checker.caller(changed, AUDIENCE)


def test_tokens_are_reused_until_they_near_their_end(identity, watch):
    first = identity.token("operator", AUDIENCE)
    watch.at += timedelta(minutes=54)
    assert identity.token("operator", AUDIENCE) == first
    watch.at += timedelta(minutes=2)
    assert identity.token("operator", AUDIENCE) != first


def test_a_token_for_an_audience_of_long_ago_is_forgotten(identity):
    for number in range(5000):
        identity.token("operator", f"{AUDIENCE}/{number}")
    assert len(identity._minted) <= 1024


@pytest.mark.parametrize("header", [None, "", "Bearer", "Bearer ", "Basic abc", "token"])
def test_a_header_without_a_bearer_token_is_refused(header):
    with pytest.raises(Unauthenticated, match="Authorization: Bearer"):
        bearer(header)


def test_the_scheme_is_read_in_any_case():
    assert bearer("bEaReR abc") == "abc"


async def test_one_token_has_one_text(identity, checker):
    token = identity.token("operator", AUDIENCE)
    varied = token[:-1] + chr(ord(token[-1]) + 1)
    for text in (token + "=", varied):
        with pytest.raises(Unauthenticated, match="not a signed JWT"):
            await checker.caller(text, AUDIENCE)
    assert await checker.caller(token, AUDIENCE)
