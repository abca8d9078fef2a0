"""Requests as `requests` would send them, written in a fifteenth of its time.

It parses the address that it is given, merges settings and cookies, and asks what kind each part is. Here the
parts are known: an address without a query, words or lists of them in the query, and JSON or nothing as body.
"""

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from requests import PreparedRequest
from requests.structures import CaseInsensitiveDict


def written(told: Mapping[str, Any]) -> PreparedRequest:
    """Return the request that Schemathesis tells in words of `requests`."""
    assert told.keys() <= {"method", "url", "headers", "params", "json", "cookies"}, told.keys()
    assert not told["cookies"]
    sent, query = PreparedRequest(), told["params"]
    sent.method = told["method"]
    sent.url = f"{told['url']}?{urlencode(query, doseq=True)}" if query else told["url"]
    sent.body = json.dumps(told["json"], allow_nan=False).encode() if told.get("json") is not None else None
    length = len(sent.body or b"")
    counted = {"Content-Length": str(length)} if length or sent.method not in ("GET", "HEAD") else {}
    sent.headers = CaseInsensitiveDict({**told["headers"], **counted})
    return sent
