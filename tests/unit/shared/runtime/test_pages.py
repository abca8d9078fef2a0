"""Pages: what a browser is told to forbid, to forget and not to tell on, whatever is shown."""

import sys

import aiohttp
import pytest

from infra.local.host.functions import host_function
from shared.domain.errors import InvalidInput
from shared.runtime.pages import MOST_FIELDS, Page, page
from shared.runtime.platform import Deployed
from shared.runtime.problems import NotThere
from tests.support.served import served

HERE = sys.modules[__name__]
NAME = "sample-page"
PROBLEMS = {
    "gone": NotThere("canary"),
    "bad": InvalidInput("pin", "canary", "x"),
    "crash": KeyError("canary"),
}


@page()
async def sample_page(visit, on):
    """Show what came."""
    if visit.incoming.query_string in PROBLEMS:
        raise PROBLEMS[visit.incoming.query_string]
    said = visit.form.get("said", "nothing")
    return Page(f'<!doctype html><style nonce="{visit.nonce}"></style><p>{said}</p>', headers={"x-own": "1"})


@page(methods=("GET",), tell=lambda problem: f"<h1>{problem.code}</h1>")
async def read_page(visit, on):
    """Show something that is only looked at."""
    return Page(visit.incoming.path)


def _functions(base):
    entries = {NAME: "sample_page", "read-page": "read_page"}
    return {
        name: host_function(Deployed(name, f"{base}/{name}", public=True), HERE, entry)
        for name, entry in entries.items()
    }


@pytest.fixture
async def browser(tmp_path):
    async with served(tmp_path, _functions) as house, aiohttp.ClientSession(house.url) as session:
        session.house = house
        yield session


async def _see(browser, path=f"/{NAME}", method="GET", **more):
    async with browser.request(method, path, **more) as answer:
        return answer.status, answer.headers, await answer.text()


def _policy(headers):
    parts = headers["content-security-policy"].split("; ")
    return dict(part.partition(" ")[::2] for part in parts)


async def test_a_page_runs_nothing_but_its_own_and_is_kept_and_framed_nowhere(browser):
    status, headers, text = await _see(browser)
    assert (status, headers["x-own"], headers["content-type"]) == (200, "1", "text/html; charset=utf-8")
    policy = _policy(headers)
    assert policy["default-src"] == policy["base-uri"] == policy["frame-ancestors"] == "'none'"
    assert policy["form-action"] == policy["connect-src"] == "'self'"
    nonce = policy["style-src"].removeprefix("'nonce-").removesuffix("'")
    assert policy["script-src"] == f"'nonce-{nonce}'"
    assert f'nonce="{nonce}"' in text
    assert "unsafe" not in headers["content-security-policy"]
    assert (headers["cache-control"], headers["referrer-policy"]) == ("no-store", "same-origin")
    assert (headers["x-frame-options"], headers["x-content-type-options"]) == ("DENY", "nosniff")


async def test_every_page_has_a_nonce_of_its_own(browser):
    assert len({_policy((await _see(browser))[1])["style-src"] for _ in range(4)}) == 4


async def _send(browser, data, headers):
    return await _see(browser, method="POST", data=data, headers=headers)


async def test_a_form_of_our_own_page_is_read(browser):
    own = {"origin": browser.house.url}
    for headers in (own, {**own, "sec-fetch-site": "same-origin"}):
        status, _, text = await _send(browser, {"said": "سلام"}, headers)
        assert (status, "سلام" in text) == (200, True)


@pytest.mark.parametrize(
    "headers",
    [{}, {"sec-fetch-site": "cross-site"}, {"sec-fetch-site": "same-site"}, {"sec-fetch-site": "none"}],
)
async def test_a_form_that_no_page_of_ours_sent_is_refused(browser, headers):
    for origin in ({}, {"origin": browser.house.url} if headers else {}):
        status, _, text = await _send(browser, {"said": "canary"}, {**headers, **origin})
        assert (status, "canary" in text) == (403, False)


async def test_a_body_that_is_no_form_is_refused(browser):
    own = {"origin": browser.house.url}
    for data, kind in (
        (b'{"said": "x"}', "application/json"),
        (b"\xff", "application/x-www-form-urlencoded"),
        (b"&".join(b"a=%d" % each for each in range(MOST_FIELDS + 1)), "application/x-www-form-urlencoded"),
    ):
        assert (await _send(browser, data, {**own, "content-type": kind}))[0] == 400
    assert (await _send(browser, b"a=" + b"x" * 70_000, own))[0] == 413


@pytest.mark.parametrize(("query", "status"), [("gone", 404), ("bad", 400), ("crash", 500)])
async def test_a_problem_is_a_page_too_and_says_nothing_of_its_error(browser, query, status):
    found, headers, text = await _see(browser, f"/{NAME}?{query}")
    assert (found, headers["content-type"]) == (status, "text/html; charset=utf-8")
    assert (headers["cache-control"], headers["referrer-policy"]) == ("no-store", "same-origin")
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert text.startswith("<!doctype html>")
    assert "canary" not in text + browser.house.log.getvalue()


async def test_a_page_tells_problems_in_its_own_way(browser):
    status, headers, text = await _see(browser, "/read-page", method="POST", data={"a": "b"})
    assert (status, headers["allow"], text) == (405, "GET", "<h1>method-not-allowed</h1>")


async def test_looking_changes_nothing_and_heads_are_looks(browser):
    status, _, text = await _see(browser, method="HEAD")
    assert (status, text) == (200, "")


def test_the_entry_keeps_the_handler_it_was_made_of():
    assert sample_page.__wrapped__.__name__ == "sample_page"
