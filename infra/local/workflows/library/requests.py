"""http.*: builds a request out of arguments, and a value or an error out of what came back."""

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final
from urllib.parse import urlencode, urlsplit

from infra.local.workflows import limits
from infra.local.workflows.errors import RaisedError, limit_error, raised, type_error, value_error
from infra.local.workflows.execution import Execution, Fiber, Routine
from infra.local.workflows.library.encoding import decode_json, json_text
from infra.local.workflows.library.function import Style, function, need
from infra.local.workflows.ops import HttpRequest
from infra.local.workflows.outcomes import Failed, HttpFault, HttpResponse, Outcome
from infra.local.workflows.values import kind_of, text_of

_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"})
_FORM: Final = "application/x-www-form-urlencoded"
_JSON: Final = re.compile(r"application/([\w.+-]+\+)?json\Z")
_TEXT: Final = re.compile(
    r"(text/.*|application/([\w.+-]+\+)?xml|application/(javascript|x-www-form-urlencoded))\Z"
)
_HEADER: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+\Z")
_AUTH_KEYS: Final = frozenset({"type", "audience", "scope", "scopes"})
_AUTH_TYPES: Final = frozenset({"OIDC", "OAuth2"})


def request(execution: Execution, _: Fiber, method: Any, url: Any, **options: Any) -> Routine:
    """Send a request; an answer of 400 or more is an error."""
    operation = _operation(execution, method, url, options)
    if not execution.is_internal(operation.url):
        execution.external += 1
    return answered((yield operation))


def _operation(execution: Execution, method: Any, url: Any, options: Mapping[str, Any]) -> HttpRequest:
    if need(method, "method", str) not in _METHODS:
        raise value_error(f"method must be one of {', '.join(sorted(_METHODS))}")
    query = _optional_map(options["query"], "query")
    headers, body = _payload(_headers(options["headers"]), options.get("body"))
    timeout = _timeout(options["timeout"])
    auth = _auth(options["auth"])
    return HttpRequest(
        execution.next_operation(), method, _with_query(_url(url), query), query, headers, body, timeout, auth
    )


def _url(url: Any) -> str:
    text = need(url, "url", str)
    try:
        parts = urlsplit(text)
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in {"http", "https"} or not parts.netloc or text.split() != [text]:
        raise value_error("url must be an absolute http or https address")
    return str(text)


def _optional_map(value: Any, what: str) -> dict[str, Any]:
    return {} if value is None else dict(need(value, what, dict))


def _with_query(url: str, query: Mapping[str, Any]) -> str:
    if not query:
        return url
    pairs = [(key, _query_text(each)) for key, value in query.items() for each in _as_list(value)]
    base, _, fragment = url.partition("#")
    joined = base + ("&" if "?" in base else "?") + urlencode(pairs)
    return f"{joined}#{fragment}" if fragment else joined


def _as_list(value: Any) -> list[Any]:
    return value if type(value) is list else [value]


def _query_text(value: Any) -> str:
    if type(value) not in {str, int, float, bool}:
        raise type_error(
            f"a query value must be a string, number, boolean or a list of those, not {kind_of(value)}"
        )
    return text_of(value)


def _headers(value: Any) -> dict[str, str]:
    headers = _optional_map(value, "headers")
    for name, text in headers.items():
        need(text, f'header "{name}"', str)
        if not _HEADER.match(name) or any(c in text for c in "\r\n\0"):
            raise value_error(f"{name[:60]!r} is not a valid header")
    return headers


def _payload(headers: dict[str, str], body: Any) -> tuple[dict[str, str], bytes | None]:
    if body is None:
        return headers, None
    given = next((text for name, text in headers.items() if name.lower() == "content-type"), None)
    if given is not None:
        return headers, _encoded(body, given.partition(";")[0].strip().lower())
    if type(body) is bytes:
        return {**headers, "Content-Type": "application/octet-stream"}, body
    return {**headers, "Content-Type": "application/json; charset=utf-8"}, _json(body)


def _encoded(body: Any, media_type: str) -> bytes:
    if type(body) is bytes:
        return body
    if media_type == _FORM and type(body) is dict:
        return _with_query("", body)[1:].encode()
    return (
        body.encode("utf-8", "replace") if type(body) is str and not _JSON.match(media_type) else _json(body)
    )


def _json(body: Any) -> bytes:
    return json_text(body, None).encode("utf-8", "replace")


def _timeout(value: Any) -> float:
    seconds: float = need(limits.HTTP_TIMEOUT_SECONDS if value is None else value, "timeout", int, float)
    if 0 < seconds <= limits.HTTP_TIMEOUT_MAXIMUM:
        return seconds
    raise value_error(f"timeout must be above 0 and at most {limits.HTTP_TIMEOUT_MAXIMUM} seconds")


def _auth(value: Any) -> dict[str, Any] | None:
    if value is None:
        return None
    auth: dict[str, Any] = need(value, "auth", dict)
    if auth.get("type") not in _AUTH_TYPES:
        raise value_error("auth.type must be OIDC or OAuth2")
    if not auth.keys() <= _AUTH_KEYS:
        raise value_error(f"auth takes only {', '.join(sorted(_AUTH_KEYS))}")
    return auth


def answered(outcome: Outcome) -> Any:
    """The map a request results in, or the error it raises."""
    if isinstance(outcome, HttpResponse):
        return _response(outcome)
    if isinstance(outcome, HttpFault):
        raise _FAULTS.get(outcome.kind, _broken)(outcome)
    if isinstance(outcome, Failed):
        raise RaisedError(outcome.error)
    return outcome.value


def _response(response: HttpResponse) -> dict[str, Any]:
    if len(response.body) > limits.RESPONSE_BYTES:
        raise limit_error(f"the response exceeds {limits.RESPONSE_BYTES} bytes")
    headers = {_canonical(name): value for name, value in response.headers.items()}
    result = {
        "body": _content(response.body, headers.get("Content-Type")),
        "code": response.status,
        "headers": headers,
    }
    if response.status >= 400:
        raise raised("HttpError", f"HTTP server responded with error code {response.status}", **result)
    return result


def _canonical(name: str) -> str:
    return "-".join(part.capitalize() for part in name.split("-"))


def _content(body: bytes, content_type: str | None) -> Any:
    media_type = (content_type or "").partition(";")[0].strip().lower()
    if _JSON.match(media_type):
        return _json_content(body)
    try:
        return body.decode("utf-8") if _TEXT.match(media_type) or not media_type else body
    except UnicodeDecodeError:
        return body.decode("latin-1") if media_type else body


def _json_content(body: bytes) -> Any:
    if not body.strip():
        return None
    try:
        return decode_json(body)
    except RaisedError:
        return body.decode("utf-8", "replace")


def _broken(fault: HttpFault) -> RaisedError:
    return raised("ConnectionError", f"the connection broke before a full response arrived{_detail(fault)}")


def _detail(fault: HttpFault) -> str:
    return f": {fault.detail}" if fault.detail else ""


_FAULTS: Final[Mapping[str, Callable[[HttpFault], RaisedError]]] = MappingProxyType(
    {
        "auth_failed": lambda fault: raised("AuthError", f"could not generate credentials{_detail(fault)}"),
        "connection_broken": _broken,
        "connection_failed": lambda fault: raised(
            "ConnectionFailedError", f"could not connect{_detail(fault)}"
        ),
        "timeout": lambda _: raised("TimeoutError", "request timed out"),
        "too_large": lambda _: limit_error(f"the response exceeds {limits.RESPONSE_BYTES} bytes"),
    }
)
_COMMON: Final[Mapping[str, Any]] = MappingProxyType(
    {
        "headers": None,
        "query": None,
        "auth": None,
        "private_service_name": None,
        "ca_certificate": None,
    }
)


def _shortcut(method: str) -> Callable[..., Routine]:
    return lambda execution, fiber, url, *values: request(
        execution, fiber, method, url, **dict(zip(_names(method), values, strict=True))
    )


def _names(method: str) -> list[str]:
    return ["timeout", *([] if method == "GET" else ["body"]), *_COMMON]


def _generic(execution: Execution, fiber: Fiber, method: Any, url: Any, *values: Any) -> Routine:
    return request(execution, fiber, method, url, **dict(zip(_names("request"), values, strict=True)))


def _optional(method: str) -> dict[str, Any]:
    return dict.fromkeys(_names(method)) | {"timeout": limits.HTTP_TIMEOUT_SECONDS}


FUNCTIONS: Final = (
    *(
        function(
            f"http.{method.lower()}", _shortcut(method), "url", style=Style.OPERATION, **_optional(method)
        )
        for method in ("DELETE", "GET", "PATCH", "POST", "PUT")
    ),
    function("http.request", _generic, "method", "url", style=Style.OPERATION, **_optional("request")),
)
