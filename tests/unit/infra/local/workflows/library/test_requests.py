"""http.*: what goes to the transport, and what comes back to the workflow."""

import json

import pytest

from infra.local.workflows.ops import HttpRequest
from infra.local.workflows.outcomes import Failed, HttpFault, HttpResponse, Succeeded


@pytest.fixture
def request_of(machine):
    """The one request a call step makes."""

    def run(call, args):
        source = f"- c:\n    call: http.{call}\n    args: {json.dumps(args)}\n"
        built = machine(source)
        operations = built.start()
        if not operations:
            return built.verdict.error["tags"]
        assert isinstance(operations[0], HttpRequest)
        return operations[0]

    return run


@pytest.fixture
def answer(machine):
    """How a workflow that returns the result of one request ends after this outcome."""

    def run(outcome):
        built = machine(
            "- c: {call: http.get, args: {url: 'https://api.test/x'}, result: r}\n- d: {return: '${r}'}\n"
        )
        [request] = built.start()
        assert built.resume(request.id, outcome) == []
        return built.verdict

    return run


@pytest.mark.parametrize("method", ["get", "post", "put", "patch", "delete"])
def test_shortcut_names_its_method(request_of, method):
    request = request_of(method, {"url": "https://api.test/x"})
    assert (request.method, request.url, request.body) == (method.upper(), "https://api.test/x", None)
    assert request.timeout == 300


def test_generic_request_takes_the_method(request_of):
    assert request_of("request", {"method": "OPTIONS", "url": "http://api.test"}).method == "OPTIONS"


@pytest.mark.parametrize(
    ("query", "url"),
    [
        ({"a": "x y", "b": 1, "c": True}, "https://api.test/x?a=x+y&b=1&c=true"),
        ({"a": [1, "é", 2.5]}, "https://api.test/x?a=1&a=%C3%A9&a=2.5"),
        ({}, "https://api.test/x"),
    ],
)
def test_query_is_encoded_into_the_address(request_of, query, url):
    assert request_of("get", {"url": "https://api.test/x", "query": query}).url == url


def test_query_joins_one_already_there(request_of):
    request = request_of("get", {"url": "https://api.test/x?a=1#frag", "query": {"b": "2"}})
    assert request.url == "https://api.test/x?a=1&b=2#frag"


@pytest.mark.parametrize(
    ("args", "content_type", "body"),
    [
        ({"body": {"a": [1, None, "é"]}}, "application/json; charset=utf-8", '{"a":[1,null,"é"]}'),
        ({"body": "text"}, "application/json; charset=utf-8", '"text"'),
        ({"body": 0}, "application/json; charset=utf-8", "0"),
        ({"body": "text", "headers": {"content-type": "text/plain"}}, "text/plain", "text"),
        ({"body": {"a": 1}, "headers": {"Content-Type": "application/json"}}, "application/json", '{"a":1}'),
        (
            {
                "body": {"a": "x y", "b": [1, 2]},
                "headers": {"Content-Type": "application/x-www-form-urlencoded"},
            },
            "application/x-www-form-urlencoded",
            "a=x+y&b=1&b=2",
        ),
        ({"body": '${text.encode("raw")}'}, "application/octet-stream", "raw"),
        ({"body": '${text.encode("raw")}', "headers": {"Content-Type": "image/png"}}, "image/png", "raw"),
    ],
)
def test_body_is_encoded_by_its_content_type(request_of, args, content_type, body):
    request = request_of("post", {"url": "https://api.test/x", **args})
    headers = {name.lower(): value for name, value in request.headers.items()}
    assert (headers["content-type"], request.body) == (content_type, body.encode())


@pytest.mark.parametrize(
    ("args", "tag"),
    [
        ({"url": 1}, "TypeError"),
        ({"url": "ftp://api.test"}, "ValueError"),
        ({"url": "/relative"}, "ValueError"),
        ({"url": "https://"}, "ValueError"),
        ({"url": "http://[broken"}, "ValueError"),
        ({"url": "https://api.test/a b"}, "ValueError"),
        ({"url": "https://api.test", "query": "a=1"}, "TypeError"),
        ({"url": "https://api.test", "query": {"a": {}}}, "TypeError"),
        ({"url": "https://api.test", "headers": {"a": 1}}, "TypeError"),
        ({"url": "https://api.test", "headers": {"a": "x\r\ny: z"}}, "ValueError"),
        ({"url": "https://api.test", "headers": {"a b": "x"}}, "ValueError"),
        ({"url": "https://api.test", "timeout": 1801}, "ValueError"),
        ({"url": "https://api.test", "timeout": 0}, "ValueError"),
        ({"url": "https://api.test", "timeout": "5"}, "TypeError"),
        ({"url": "https://api.test", "auth": {"type": "Basic"}}, "ValueError"),
        ({"url": "https://api.test", "auth": {"type": "OIDC", "user": "x"}}, "ValueError"),
        ({"url": "https://api.test", "auth": "OIDC"}, "TypeError"),
        ({"url": "https://api.test", "body": '${[text.encode("a")]}'}, "ValueError"),
    ],
)
def test_bad_argument_is_an_error_of_the_language(request_of, args, tag):
    assert tag in request_of("post", args)


def test_unknown_method_is_a_value_error(request_of):
    assert "ValueError" in request_of("request", {"method": "BREW", "url": "https://api.test"})


def test_auth_reaches_the_transport_but_no_face(request_of):
    auth = {"type": "OIDC", "audience": "https://fn.test"}
    request = request_of(
        "post", {"url": "https://fn.test", "auth": auth, "headers": {"X-Key": "secret"}, "body": "pin"}
    )
    assert request.auth == auth
    for secret in ("audience", "secret", "pin"):
        assert secret not in repr(request)


@pytest.mark.parametrize(
    ("content_type", "body", "value"),
    [
        ("application/json", b'{"a": 1}', {"a": 1}),
        ("application/problem+json; charset=utf-8", b"[1.0]", [1.0]),
        ("application/json", b"", None),
        ("application/json", b"not json", "not json"),
        ("text/html; charset=utf-8", "é".encode(), "é"),
        (None, b"plain", "plain"),
        ("text/plain", b"\xe9", "é"),
        ("application/json", b"12345678901234567890", 12345678901234567890.0),
    ],
)
def test_response_body_is_read_by_its_content_type(answer, content_type, body, value):
    headers = {} if content_type is None else {"content-type": content_type}
    ended = answer(HttpResponse(200, headers, body))
    assert ended.result["body"] == value
    assert ended.result["code"] == 200


def test_binary_response_is_bytes_and_cannot_be_returned(answer):
    ended = answer(HttpResponse(200, {"Content-Type": "image/png"}, b"\x89\xff"))
    assert "ValueError" in ended.error["tags"]


def test_response_header_names_are_canonical(answer):
    ended = answer(HttpResponse(204, {"x-request-id": "7"}, b""))
    assert ended == Succeeded({"body": "", "code": 204, "headers": {"X-Request-Id": "7"}})


def test_redirect_is_an_answer_like_any_other(answer):
    assert answer(HttpResponse(302, {"Location": "https://elsewhere.test"}, b"")).result["code"] == 302


@pytest.mark.parametrize("status", [400, 404, 429, 500, 503, 599])
def test_status_from_400_raises_http_error(answer, status):
    ended = answer(HttpResponse(status, {"Content-Type": "application/json"}, b'{"why": 1}'))
    assert ended.error["tags"] == ["HttpError"]
    assert (ended.error["code"], ended.error["body"]) == (status, {"why": 1})
    assert ended.error["message"] == f"HTTP server responded with error code {status}"
    assert ended.error["headers"] == {"Content-Type": "application/json"}


@pytest.mark.parametrize(
    ("kind", "tags"),
    [
        ("connection_failed", ["ConnectionFailedError"]),
        ("connection_broken", ["ConnectionError"]),
        ("timeout", ["TimeoutError", "OSError"]),
        ("auth_failed", ["AuthError"]),
        ("too_large", ["ResourceLimitError"]),
        ("something else", ["ConnectionError"]),
    ],
)
def test_fault_raises_the_documented_tag(answer, kind, tags):
    assert answer(HttpFault(kind, "why")).error["tags"] == tags


def test_timeout_has_the_message_seen_in_the_field(answer):
    assert answer(HttpFault("timeout")).error["message"] == "request timed out"


def test_response_beyond_two_megabytes_ends_the_execution(answer):
    body = b'"' + b"x" * (2 * 1024 * 1024) + b'"'
    assert answer(HttpResponse(200, {}, body)).error["tags"] == ["ResourceLimitError"]


def test_driver_may_fail_a_request_with_an_error_of_its_own(answer):
    ended = answer(Failed({"message": "no", "tags": ["SystemError"]}))
    assert ended.error == {"message": "no", "tags": ["SystemError"]}
