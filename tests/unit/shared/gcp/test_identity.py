"""Tokens that Google signs: checked with its certificates, which are fetched as seldom as it says."""

import asyncio

import pytest

from infra.emulated.signing import Google, Signer
from shared.gcp.identity import CERTIFICATES, GoogleKeys, google_issuer
from shared.kernel.identity import Caller, TokenChecker, Unauthenticated
from shared.kernel.published import IssuerOutOfReach
from shared.vendor_kit.http import Answer
from tests.contract.embedded import ManualClock

DOMAIN = "hotel.iam.gserviceaccount.com"
EMAIL = f"cloud-tasks@{DOMAIN}"
AUDIENCE = "https://europe-west6-hotel.cloudfunctions.net/sweep-ledger"


OLD, NEW = Signer("old"), Signer("new")


@pytest.fixture
def clock():
    return ManualClock()


@pytest.fixture
def google():
    return Google(OLD)


@pytest.fixture
def keys(google, clock):
    return GoogleKeys(google, clock)


async def verified(keys, signer, **header):
    return await keys.verify({"alg": "RS256", "kid": signer.kid, **header}, b"signed", signer.sign(b"signed"))


async def test_what_google_signed_is_verified(keys, google):
    assert await verified(keys, OLD)
    assert google.asked == [CERTIFICATES]


async def test_what_another_signed_under_googles_key_id_is_not(keys):
    assert not await verified(keys, NEW, kid="old")


@pytest.mark.parametrize("header", [{"alg": "none"}, {"alg": "HS256"}, {"kid": None}, {"kid": 7}])
async def test_another_algorithm_or_no_key_id_is_refused_without_asking_google(keys, google, header):
    assert not await verified(keys, OLD, **header)
    assert google.asked == []


def removed(token):
    return f"{token.rpartition('.')[0]}.SIGNATURE_REMOVED_BY_GOOGLE"


async def test_a_signature_that_google_took_away_proves_nothing_by_itself(google, clock):
    checker = TokenChecker(google_issuer(google, clock, DOMAIN), clock.now)
    with pytest.raises(Unauthenticated, match="signature"):
        await checker.caller(removed(OLD.token(clock, EMAIL, AUDIENCE)), AUDIENCE)


async def test_a_signature_that_google_took_away_is_a_proof_where_it_has_checked_before_us(google, clock):
    checker = TokenChecker(google_issuer(google, clock, DOMAIN, checked_before=True), clock.now)
    token = OLD.token(clock, EMAIL, AUDIENCE)
    assert (await checker.caller(removed(token), AUDIENCE)).name == "cloud-tasks"
    assert google.asked == []
    assert (await checker.caller(token, AUDIENCE)).name == "cloud-tasks"
    assert google.asked == [CERTIFICATES]


@pytest.mark.parametrize(
    ("email", "audience", "changes"),
    [
        (EMAIL, f"{AUDIENCE}-other", {}),
        ("cloud-tasks@another.iam.gserviceaccount.com", AUDIENCE, {}),
        (EMAIL, AUDIENCE, {"exp": 0}),
        (EMAIL, AUDIENCE, {"iss": "https://issuer.example"}),
    ],
)
async def test_all_else_is_checked_as_ever_where_google_has_checked_before_us(
    google, clock, email, audience, changes
):
    checker = TokenChecker(google_issuer(google, clock, DOMAIN, checked_before=True), clock.now)
    with pytest.raises(Unauthenticated):
        await checker.caller(removed(OLD.token(clock, email, audience, **changes)), AUDIENCE)


async def test_what_another_signed_is_no_proof_there_either(google, clock):
    checker = TokenChecker(google_issuer(google, clock, DOMAIN, checked_before=True), clock.now)
    with pytest.raises(Unauthenticated, match="signature"):
        await checker.caller(NEW.token(clock, EMAIL, AUDIENCE), AUDIENCE)


async def test_certificates_are_fetched_again_when_google_says_so(keys, google, clock):
    await verified(keys, OLD)
    clock.advance(hours=5, minutes=59)
    await verified(keys, OLD)
    assert len(google.asked) == 1
    clock.advance(minutes=1)
    await verified(keys, OLD)
    assert len(google.asked) == 2


async def test_a_new_key_is_found_and_an_invented_one_asked_for_once_a_minute(keys, google, clock):
    await verified(keys, OLD)
    clock.advance(minutes=1)
    google.signers.append(NEW)
    assert await verified(keys, NEW)
    for _ in range(3):
        assert not await verified(keys, OLD, kid="invented")
    assert len(google.asked) == 2
    clock.advance(minutes=1)
    assert not await verified(keys, OLD, kid="invented")
    assert len(google.asked) == 3


async def test_s9_google_not_answering_is_no_proof_of_anything_and_nobodys_fault(keys, google, clock):
    google.status = 503
    for _ in range(3):
        with pytest.raises(IssuerOutOfReach):
            await verified(keys, OLD)
    assert len(google.asked) == 1
    google.status = 200
    clock.advance(seconds=5)
    assert await verified(keys, OLD)


async def test_s9_many_who_ask_at_once_make_one_fetch(google, clock):
    slow = Slow(google)
    keys = GoogleKeys(slow, clock)
    asking = [asyncio.ensure_future(verified(keys, OLD, kid=f"invented-{n}")) for n in range(199)]
    asking.append(asyncio.ensure_future(verified(keys, OLD)))
    await asyncio.sleep(0)
    slow.go_on.set()
    assert await asyncio.gather(*asking) == [False] * 199 + [True]
    assert len(google.asked) == 1


async def test_s9_who_stops_waiting_does_not_stop_the_others(google, clock):
    slow = Slow(google)
    keys = GoogleKeys(slow, clock)
    first, second = (asyncio.ensure_future(verified(keys, OLD)) for _ in range(2))
    await asyncio.sleep(0)
    first.cancel()
    slow.go_on.set()
    assert await second


@pytest.mark.parametrize("status", [503, 404])
async def test_s9_known_keys_are_good_for_a_day_while_google_cannot_be_asked(keys, google, clock, status):
    await verified(keys, OLD)
    google.status = status
    clock.advance(hours=6)
    assert await verified(keys, OLD)
    asked = len(google.asked)
    for _ in range(10):
        assert await verified(keys, OLD)
        with pytest.raises(IssuerOutOfReach):  # it may be a key of Google's that is new
            await verified(keys, OLD, kid="invented")
    assert len(google.asked) == asked
    clock.advance(hours=24)
    with pytest.raises(IssuerOutOfReach):
        await verified(keys, OLD)


@pytest.mark.parametrize("body", [b"[]", b"{}", b"no JSON", b'{"a": 7}', b'{"a": "' + b"x" * 70_000 + b'"}'])
async def test_s9_an_answer_that_is_no_list_of_keys_changes_nothing(keys, google, clock, body):
    await verified(keys, OLD)
    clock.advance(hours=6)
    keys._http = Says(body)
    assert await verified(keys, OLD)


class Slow:
    """Passes calls on when told to."""

    def __init__(self, http):
        self._http, self.go_on = http, asyncio.Event()

    async def send(self, call):
        await self.go_on.wait()
        return await self._http.send(call)


class Says:
    """Answers with the same bytes to all."""

    def __init__(self, body):
        self._body = body

    async def send(self, _call):
        return Answer(200, {"cache-control": "max-age=60"}, self._body)


async def test_the_check_of_tokens_takes_googles_for_service_accounts_of_the_project(google, clock):
    checker = TokenChecker(google_issuer(google, clock, DOMAIN), clock.now)
    assert await checker.caller(OLD.token(clock, EMAIL, AUDIENCE), AUDIENCE) == Caller("cloud-tasks", EMAIL)


@pytest.mark.parametrize(
    "changes",
    [
        {"iss": "https://keyfleet.local"},
        {"audience": "https://elsewhere.example"},
        {"email": "cloud-tasks@another.iam.gserviceaccount.com"},
        {"email": "someone@hotel.example"},
        {"exp": 0},
    ],
    ids=["issuer", "audience", "project", "person", "expired"],
)
async def test_the_check_of_tokens_refuses_googles_for_anybody_else(google, clock, changes):
    checker = TokenChecker(google_issuer(google, clock, DOMAIN), clock.now)
    with pytest.raises(Unauthenticated):
        await checker.caller(OLD.token(clock, **{"email": EMAIL, "audience": AUDIENCE, **changes}), AUDIENCE)
