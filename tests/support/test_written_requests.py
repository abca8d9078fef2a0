"""What is written by hand is what `requests` would have sent."""

import pytest
from requests import Request

from tests.support.written_requests import written

URL = "http://127.0.0.1:8787/lock-api/lock/v1/stays/rsv_%2F%25x"
HEADERS = {"Authorization": "Bearer a.b.c", "If-Match": "*", "Content-Type": "application/json"}
BODIES = [{}, {"json": {"a": ["é", 1e-9, None, "\x00😀"]}}, {"json": []}, {"json": False}, {"json": None}]
QUERIES = [{}, {"a": "x y&=é/%20😀", "b": True}, {"after": 1.5, "states": ["a", "b,c"]}, {"empty": ""}]


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
@pytest.mark.parametrize("query", QUERIES, ids=str)
@pytest.mark.parametrize("body", BODIES, ids=str)
def test_a_request_is_written_as_requests_writes_it(method, query, body):
    told = {"method": method, "url": URL, "headers": HEADERS, "params": query, "cookies": {}, **body}
    ours, theirs = written(told), Request(**told).prepare()
    assert (ours.method, ours.url) == (theirs.method, theirs.url)
    assert dict(ours.headers) == dict(theirs.headers)
    assert (ours.body or b"") == (theirs.body or b"")
