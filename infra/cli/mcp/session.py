"""A session of the Model Context Protocol, without I/O: a line comes in, and a line goes out, or none.

| a line | what goes out |
|---|---|
| `initialize` | what we are, and the newest version that both know |
| `ping`, `tools/list` | an answer |
| `tools/call` | what the API told; a problem of the API is the tool's, and no error of the protocol |
| a notification | nothing |
| anything else | an error of JSON-RPC |
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from infra.cli.mcp.tools import ArgumentsRefused, Request, Tool

VERSIONS: Final = ("2025-06-18", "2025-03-26", "2024-11-05")
LONGEST_LINE: Final = 1024 * 1024
NO_JSON, NO_REQUEST, NO_METHOD, NO_ARGUMENTS = -32700, -32600, -32601, -32602
_ABOUT: Final = (
    "Keys of hotel rooms: stays, credentials, doors, residues, sagas. `todaysArrivals` says who will get in "
    "today, `roomAccess` who can open a room now, `explain` why a door refused. "
    "Ids begin with rsv_, key_, ppt_, lck_."
)
Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Told:
    """What the API answered."""

    status: int
    body: bytes


class NotReached(Exception):
    """The API gave no answer."""


class ProtocolError(Exception):
    """Something that is told as an error of JSON-RPC."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


class McpSession:
    """Answers a client, line by line; `ask` makes the requests."""

    def __init__(self, tools: Mapping[str, Tool], ask: Callable[[Request], Told]) -> None:
        self._tools, self._ask = tools, ask
        self._methods: Mapping[str, Callable[[Json], Json]] = {
            "initialize": self._initialize,
            "ping": lambda _: {},
            "tools/list": self._list,
            "tools/call": self._call,
        }

    def answer(self, line: str) -> str | None:
        """Return what goes out for a line; None where nothing does."""
        identity: Any = None
        try:
            message = _read(line)
            identity = message.get("id")
            if "id" not in message:
                return None
            return _said(identity, result=self._result(message))
        except ProtocolError as refusal:
            return _said(identity, error={"code": refusal.code, "message": str(refusal)})

    def _result(self, message: Json) -> Json:
        method, given = message.get("method"), message.get("params", {})
        if not isinstance(method, str) or not isinstance(given, dict):
            raise ProtocolError(NO_REQUEST, "no request: give method and params")
        if method not in self._methods:
            raise ProtocolError(NO_METHOD, f"no such method: there are {', '.join(self._methods)}")
        return self._methods[method](given)

    def _initialize(self, given: Json) -> Json:
        wanted = given.get("protocolVersion")
        return {
            "protocolVersion": wanted if wanted in VERSIONS else VERSIONS[0],
            "capabilities": {"tools": {"listChanged": False}},
            "serverInfo": {"name": "keyfleet", "version": "1"},
            "instructions": _ABOUT,
        }

    def _list(self, _given: Json) -> Json:
        return {"tools": [each.told() for each in self._tools.values()]}

    def _call(self, given: Json) -> Json:
        tool, arguments = self._tools.get(str(given.get("name"))), given.get("arguments", {})
        if tool is None:
            raise ProtocolError(NO_ARGUMENTS, "no such tool: see tools/list; changes may not be allowed here")
        if not isinstance(arguments, dict):
            raise ProtocolError(NO_ARGUMENTS, "arguments are an object")
        try:
            return _content(self._ask(tool.request(arguments)))
        except ArgumentsRefused as refusal:
            raise ProtocolError(NO_ARGUMENTS, str(refusal)) from None
        except NotReached as trouble:
            return {"content": [{"type": "text", "text": str(trouble)}], "isError": True}


def _read(line: str) -> dict[str, Any]:
    if len(line) > LONGEST_LINE:
        raise ProtocolError(NO_REQUEST, "the line is too long")
    try:
        message = json.loads(line)
        json.dumps(message, ensure_ascii=False).encode()  # half a character can go nowhere from here
    except (ValueError, RecursionError):
        raise ProtocolError(NO_JSON, "no JSON") from None
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        raise ProtocolError(NO_REQUEST, "no message of JSON-RPC 2.0")
    return message


def _content(told: Told) -> Json:
    text = told.body.decode(errors="replace")
    result: dict[str, Any] = {"content": [{"type": "text", "text": text}], "isError": told.status >= 400}
    try:
        said = json.loads(text)
    except ValueError:
        return result
    return result | ({"structuredContent": said} if isinstance(said, dict) else {})


def _said(identity: Any, **what: Any) -> str:
    return json.dumps({"jsonrpc": "2.0", "id": identity, **what}, ensure_ascii=False)
