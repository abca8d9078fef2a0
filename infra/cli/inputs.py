"""What people pass in: JSON as text, as @file or on stdin; refused with the place of the mistake."""

import json
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from infra.cli.problems import LONGEST_NAME, Refused


def json_input(text: str, option: str) -> Any:
    """Return the JSON that an option's value holds or points to."""
    if text == "-":
        return _parsed(sys.stdin.read(), f"{option}: stdin", "pipe JSON alone into the command")
    if text.startswith("@"):
        return json_file(Path(text[1:]), option)
    return _parsed(text, option, _QUOTE_IT)


def json_object(text: str, option: str) -> Mapping[str, Any]:
    """Return the JSON object that an option's value holds or points to."""
    value = json_input(text, option)
    if not isinstance(value, dict):
        raise Refused(f"{option} is not a JSON object", f"pass one, such as {option} '{{\"name\": 1}}'")
    return value


def json_file(path: Path, option: str) -> Any:
    """Return the JSON of a file, or of what is piped in."""
    if str(path) == "-":
        return json_input("-", option)
    return _parsed(read_text(path, option), f"{option}: {path}", f"mend {path}: it must hold JSON alone")


def settings(given: list[str], option: str) -> Mapping[str, str]:
    """Return the values of NAME=VALUE, by name; the last one of a name counts."""
    pairs = [each.partition("=") for each in given]
    if not all(equals and _NAME.fullmatch(name) for name, equals, _ in pairs):
        # What was given is not repeated: it may be a secret without its name.
        raise Refused(
            f"{option} is not NAME=VALUE, with a name of letters, digits and _",
            f"pass one at a time, such as {option} FLEET_URL=http://fleet.test",
        )
    return {name: value for name, _, value in pairs}


def read_text(path: Path, option: str) -> str:
    """Return a file's text."""
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise Refused(f"{option}: cannot read {path}: {error.strerror}", "check the path") from None
    except UnicodeDecodeError:
        raise Refused(f"{option}: {path} is not UTF-8 text", "save it as UTF-8") from None


def _parsed(text: str, what: str, remedy: str) -> Any:
    try:
        return json.loads(text, parse_constant=_not_json, object_pairs_hook=_object)
    except _Repeated as error:
        raise Refused(f"{what}: {error}", "keep one of them") from None
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise Refused(f"{what} is not JSON: {error.msg} at {where}", remedy) from None
    except ValueError as error:
        raise Refused(f"{what} is not JSON: {error}", remedy) from None
    except RecursionError:
        raise Refused(f"{what} is nested too deeply", "pass something flatter") from None


_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_QUOTE_IT = "put single quotes around the JSON, or pass @file, or - for stdin"


class _Repeated(ValueError):
    """Which of two values of one name is meant, nobody can know."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    read = dict(pairs)
    if len(read) < len(pairs):
        names = [name for name, _ in pairs]
        repeated = next(name for name in names if names.count(name) > 1)
        raise _Repeated(f"{repeated[:LONGEST_NAME]!r} is named twice in one object")
    return read


def _not_json(name: str) -> Any:
    raise ValueError(f"{name} is no JSON value")
