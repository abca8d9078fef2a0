"""The entry of people: what is asked, what is answered, and how every problem is told."""

import asyncio
import sys
from dataclasses import replace

import pytest

from infra.local.host.functions import host_function
from shared.domain.permissions import Role
from shared.events.wire import Published
from shared.runtime.api import api
from shared.runtime.incoming import API_BYTES
from shared.runtime.platform import Deployed
from shared.runtime.routes import Route
from tests.support.sample_api import KEYS, ROUTES
from tests.support.staffed import SILK, staffed
from tests.unit.shared.kernel.test_trace import HEADER as TRACE

HERE = sys.modules[__name__]
KEY = next(iter(KEYS[SILK]))
ONE = f"/plain-api/t/v1/keys/{KEY}"
EVERYBODY = tuple(Role)


class Nothing(Published):
    """Nothing."""


async def _slow(asked, on):
    await asyncio.sleep(3600)


async def _traced(asked, on):
    assert asked.trace == TRACE
    on.log.info("used")
    return Nothing()


EXTRA = (
    Route(method="GET", path="/t/v1/slow", summary="Slow", use_case=_slow, answer=Nothing),
    Route(method="GET", path="/t/v1/traced", summary="Traced", use_case=_traced, answer=Nothing),
    Route(method="POST", path="/t/v1/traced", summary="Traced", use_case=_traced, answer=Nothing),
)


@api
def plain_api():
    """Return the sample's routes."""
    return (*ROUTES, *EXTRA)


def _functions(base):
    deployed = Deployed(
        "plain-api", f"{base}/plain-api", people=True, roles=frozenset({"documents"}), timeout=2
    )
    internal = replace(deployed, name="inner-api", audience=f"{base}/inner-api", people=False)
    return {each.name: host_function(each, HERE, "plain_api") for each in (deployed, internal)}


@pytest.fixture
async def staff(tmp_path):
    async with staffed(tmp_path, _functions) as opened:
        opened.all = opened.badge(*EVERYBODY, at=None)
        yield opened


async def problem(staff, expected, code, *request, **more):
    """Ask, and return headers and problem, which must be of this status and code."""
    status, headers, told = await staff.ask(*request, **more)
    assert (status, told["status"], told["code"]) == (expected, expected, code)
    assert headers["content-type"] == "application/problem+json"
    assert told["type"] == f"urn:keyfleet:problem:{code}"
    assert told["requestId"] == headers["request-id"]
    assert all(told[each] for each in ("title", "detail", "remedy"))
    assert headers["cache-control"] == "no-store"
    return headers, told


async def test_an_answer_bears_its_requests_id_and_is_for_its_caller_alone(staff):
    status, headers, told = await staff.ask("GET", ONE, staff.all)
    assert (status, told) == (200, {"done": "get"})
    assert headers["request-id"].startswith("req_")
    assert (headers["cache-control"], headers["vary"]) == ("private, no-cache", "authorization")
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["content-type"] == "application/json"


async def test_every_request_has_an_id_of_its_own(staff):
    ids = [(await staff.ask("GET", ONE, staff.all))[1]["request-id"] for _ in range(3)]
    assert len(set(ids)) == 3


async def test_what_has_not_changed_is_not_sent_again(staff):
    _, headers, _ = await staff.ask("GET", ONE, staff.all)
    assert headers["etag"] == '"v7"'
    for known in ('"v7"', 'W/"v7"', '"v1", "v7"', "*"):
        status, again, body = await staff.ask("GET", ONE, staff.all, headers={"if-none-match": known})
        assert (status, body, again["etag"]) == (304, b"", '"v7"')
    assert (await staff.ask("GET", ONE, staff.all, headers={"if-none-match": '"v6"'}))[0] == 200


async def test_an_answer_without_a_version_has_an_etag_of_its_content(staff):
    tags = [
        (await staff.ask("GET", f"/plain-api/t/v1/{at}", staff.all))[1]["etag"] for at in ("me", "me", "keys")
    ]
    assert tags[0] == tags[1] != tags[2]


async def test_a_change_says_which_state_it_is_meant_for(staff):
    await problem(staff, 428, "precondition-required", "PUT", ONE, staff.all)
    await problem(staff, 412, "precondition-failed", "PUT", ONE, staff.all, headers={"if-match": '"v6"'})
    status, headers, told = await staff.ask("PUT", ONE, staff.all, headers={"if-match": '"v7"'})
    assert (status, told, headers["etag"]) == (200, {"done": "change"}, '"v8"')
    assert (await staff.ask("PUT", ONE, staff.all, headers={"if-match": "*"}))[0] == 200
    await problem(staff, 400, "invalid-input", "PUT", ONE, staff.all, headers={"if-match": "x" * 200})


async def test_a_body_that_does_not_fit_names_its_fields_and_repeats_nothing(staff):
    body = {"times": "canary 4711", "canary": 1}
    _, told = await problem(staff, 400, "invalid-input", "POST", f"{ONE}/revoke", staff.all, body=body)
    assert {each["field"] for each in told["errors"]} == {"reason", "times", "canary"}
    assert "4711" not in str(told)


@pytest.mark.parametrize("raw", [b"", b"{", b"[]", b"\xff", b"null", b"[" * 100_000])
async def test_a_body_that_is_no_object_is_told_so(staff, raw):
    status, told = await _post_raw(staff, raw, "application/json")
    assert (status, told["code"]) == (400, "invalid-input")


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "", "application/jsonx"])
async def test_a_body_of_another_kind_is_not_read_as_json(staff, kind):
    status, told = await _post_raw(staff, b'{"reason": "x"}', kind)
    assert (status, told["code"]) == (415, "not-json")


async def test_a_body_beyond_its_bound_is_413_for_those_who_may_and_401_for_others(staff):
    raw = b'{"reason": "' + b"x" * API_BYTES + b'"}'
    assert (await _post_raw(staff, raw, "application/json"))[0] == 413
    assert (await _post_raw(staff, raw, "application/json", token="a.b.c"))[0] == 401


async def test_a_body_where_none_is_taken_is_refused(staff):
    assert (await staff.ask("GET", ONE, staff.all, body={"a": 1}))[0] == 413
    headers = {"traceparent": TRACE}
    for body, status in ((None, 200), ({}, 200), ({"a": 1}, 400)):
        found = await staff.ask("POST", "/plain-api/t/v1/traced", staff.all, body=body, headers=headers)
        assert found[0] == status


async def test_a_query_is_checked_as_a_body_is(staff):
    keys = "/plain-api/t/v1/keys"
    assert len((await staff.ask("GET", f"{keys}?limit=1", staff.all))[2]["keys"]) == 1
    for query, field in (("limit=many", "limit"), ("limit=1&limit=2", "query"), ("other=1", "other")):
        _, told = await problem(staff, 400, "invalid-input", "GET", f"{keys}?{query}", staff.all)
        assert [each["field"] for each in told["errors"]] == [field]
    await problem(staff, 400, "invalid-input", "GET", f"{ONE}?a=1", staff.all)


async def test_another_method_and_another_path_are_told_apart(staff):
    headers, _ = await problem(staff, 405, "method-not-allowed", "DELETE", ONE, staff.all)
    assert headers["allow"] == "GET, PUT"
    for path in ("/plain-api", "/plain-api/t/v1", f"{ONE}/", f"{ONE}/other", "/plain-api/t/v1/keys/key_1"):
        await problem(staff, 404, "not-found", "GET", path, staff.all)


@pytest.mark.parametrize(
    "name", ["%2e%2e", "key_01KSAMP1E00000000000000001%2f", "%00", "key_%F0", "x" * 4000]
)
async def test_what_can_be_no_id_names_nothing(staff, name):
    await problem(staff, 404, "not-found", "GET", f"/plain-api/t/v1/keys/{name}", staff.all)


async def test_head_is_answered_as_get_is_without_a_body(staff):
    status, headers, body = await staff.ask("HEAD", ONE, staff.all)
    assert (status, body, headers["etag"]) == (200, b"", '"v7"')


async def test_who_is_not_proven_is_told_how(staff):
    headers, told = await problem(staff, 401, "unauthenticated", "GET", ONE)
    assert headers["www-authenticate"] == "Bearer"
    assert "Authorization: Bearer" in told["detail"]


async def test_a_crash_is_told_without_its_words_and_logged_by_its_place(staff):
    _, told = await problem(staff, 500, "crashed", "GET", "/plain-api/t/v1/crash", staff.all)
    assert "canary" not in str(told) + staff.house.log.getvalue()
    (line,) = [line for line in staff.house.said() if "crashed" in line]
    assert "ZeroDivisionError" in line
    assert told["requestId"] in line


async def test_what_takes_too_long_is_told_so(staff):
    await problem(staff, 504, "too-slow", "GET", "/plain-api/t/v1/slow", staff.all)


async def test_a_provider_out_of_reach_is_no_refusal_and_says_when_to_come_again(staff):
    staff.silk.status = 500
    headers, _ = await problem(staff, 503, "try-later", "GET", ONE, staff.gm(staff.silk))
    assert int(headers["retry-after"]) >= 1


async def test_a_trace_travels_and_names_tenant_principal_and_request_in_the_log(staff):
    status, headers, _ = await staff.ask(
        "GET", "/plain-api/t/v1/traced", staff.all, headers={"traceparent": TRACE}
    )
    assert status == 200
    (line,) = [line for line in staff.house.said() if '"used"' in line]
    for said in (TRACE, SILK, "usr_1", headers["request-id"]):
        assert said in line


async def test_a_descriptor_that_does_not_mean_people_lets_none_in(staff):
    assert (await staff.ask("GET", ONE.replace("plain", "inner"), staff.all))[0] == 401


def test_the_entry_keeps_the_table_it_was_made_of():
    assert plain_api.__wrapped__() == (*ROUTES, *EXTRA)


async def _post_raw(staff, raw, kind, token=None):
    headers = {"authorization": f"Bearer {token or staff.all}", "content-type": kind}
    url = f"{staff.url}{ONE}/revoke"
    async with staff.session.post(url, data=raw, headers=headers) as answer:
        return answer.status, await answer.json(content_type=None)
