"""What people pass in: JSON as text, as @file or on stdin; refused with the place of the mistake."""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from infra.cli.problems import Refused


def json_input(text: str, option: str) -> Any:
    """Return the JSON that an option's value holds or points to."""
    return _parsed(_text(text, option), option)


def json_object(text: str, option: str) -> Mapping[str, Any]:
    """Return the JSON object that an option's value holds or points to."""
    value = json_input(text, option)
    if not isinstance(value, dict):
        raise Refused(f"{option} is not a JSON object", f"pass one, such as {option} '{{\"name\": 1}}'")
    return value


def json_file(path: Path, option: str) -> Any:
    """Return the JSON of a file."""
    return _parsed(read_text(path, option), option)


def read_text(path: Path, option: str) -> str:
    """Return a file's text."""
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise Refused(f"{option}: cannot read {path}: {error.strerror}", "check the path") from None
    except UnicodeDecodeError:
        raise Refused(f"{option}: {path} is not UTF-8 text", "save it as UTF-8") from None


def _text(text: str, option: str) -> str:
    if text == "-":
        return sys.stdin.read()
    return read_text(Path(text[1:]), option) if text.startswith("@") else text


def _parsed(text: str, option: str) -> Any:
    try:
        return json.loads(text, parse_constant=_not_json)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise Refused(f"{option} is not JSON: {error.msg} at {where}", _QUOTE_IT) from None
    except ValueError as error:
        raise Refused(f"{option} is not JSON: {error}", _QUOTE_IT) from None
    except RecursionError:
        raise Refused(f"{option} is nested too deeply", "pass something flatter") from None


_QUOTE_IT = "put single quotes around the JSON, or pass @file, or - for stdin"


def _not_json(name: str) -> Any:
    raise ValueError(f"{name} is no JSON value")
