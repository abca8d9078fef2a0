"""YAML or JSON text into nodes that know their lines, with YAML 1.2 typing and no room for bombs."""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError

from infra.local.workflows import limits
from infra.local.workflows.report import Report

_NULL: Final = re.compile(r"(~|null|Null|NULL)?\Z")
_BOOLEAN: Final = re.compile(r"(true|True|TRUE|false|False|FALSE)\Z")
_INTEGER: Final = re.compile(r"[-+]?[0-9]+\Z")
_RADIX: Final = re.compile(r"0(o[0-7]+|x[0-9a-fA-F]+)\Z")
_DOUBLE: Final = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?\Z")
_NOT_FINITE: Final = re.compile(r"([-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN))\Z")
_INTEGER_DIGITS: Final = 20


@dataclass(frozen=True, slots=True)
class Scalar:
    """A null, boolean, number or string."""

    value: Any
    line: int
    weight: int = 1


@dataclass(frozen=True, slots=True)
class Listing:
    """A YAML sequence."""

    items: "tuple[Node, ...]"
    line: int
    weight: int


@dataclass(frozen=True, slots=True)
class Entry:
    """One key of a mapping with its value."""

    key: Any
    line: int
    node: "Node"


@dataclass(frozen=True, slots=True)
class Mapped:
    """A YAML mapping, in source order."""

    entries: tuple[Entry, ...]
    line: int
    weight: int


Node = Scalar | Listing | Mapped


class _Unreadable(Exception):
    def __init__(self, line: int, message: str, remedy: str) -> None:
        self.line, self.message, self.remedy = line, message, remedy
        super().__init__(message)


@dataclass(slots=True)
class _Open:
    """A collection whose end has not come yet."""

    is_map: bool
    line: int
    anchor: str | None
    children: list[Node] = field(default_factory=list)


def parse(text: str, report: Report) -> Node | None:
    """The document's root node, or None with the reason reported."""
    try:
        return _Builder().build(YAML(typ="safe", pure=True).parse(_without_json_tabs(text)))
    except _Unreadable as refused:
        report.add(refused.line, refused.message, refused.remedy)
    except MarkedYAMLError as error:
        report.add(
            _line_of(error),
            f"not YAML: {error.problem or error.context}",
            "Mend the syntax; quote values holding ': ' or '#', and ${...} inside [ ] and { }",
        )
    except (YAMLError, ValueError, OverflowError, IndexError, RecursionError) as error:
        report.add(1, f"not YAML: {str(error).splitlines()[0][:200]}", "Mend the syntax")
    return None


def _line_of(error: MarkedYAMLError) -> int:
    mark = error.problem_mark or error.context_mark
    return mark.line + 1 if mark else 1


def _without_json_tabs(text: str) -> str:
    """JSON may be indented with tabs, which YAML forbids; raw tabs cannot occur inside JSON strings."""
    return text.replace("\t", "  ") if text.lstrip()[:1] in {"{", "["} else text


class _Builder:
    """Builds nodes from parser events with its own stack, so that depth cannot exhaust Python's."""

    def __init__(self) -> None:
        self._stack: list[_Open] = []
        self._anchors: dict[str, Node] = {}
        self._root: Node | None = None

    def build(self, events: Iterator[Any]) -> Node:
        for event in events:
            self._take(event, event.start_mark.line + 1)
        if self._root is None:
            raise _Unreadable(1, "the file holds no workflow", "Write a list of steps or a map with main")
        return self._root

    def _take(self, event: Any, line: int) -> None:
        match type(event).__name__:
            case "ScalarEvent":
                self._add(Scalar(_scalar(event, line), line), event.anchor)
            case "SequenceStartEvent":
                self._open(event, line, is_map=False)
            case "MappingStartEvent":
                self._open(event, line, is_map=True)
            case "SequenceEndEvent" | "MappingEndEvent":
                self._close()
            case "AliasEvent":
                self._add(self._alias(event.anchor, line), None)
            case "DocumentStartEvent" if self._root is not None:
                raise _Unreadable(line, "a second document", "Keep one workflow per file")

    def _open(self, event: Any, line: int, *, is_map: bool) -> None:
        _refuse_tag(event, line)
        if len(self._stack) >= limits.SOURCE_DEPTH:
            raise _Unreadable(
                line, f"nested deeper than {limits.SOURCE_DEPTH} levels", "Move steps into subworkflows"
            )
        self._stack.append(_Open(is_map, line, event.anchor))

    def _close(self) -> None:
        done = self._stack.pop()
        weight = 1 + sum(child.weight for child in done.children)
        if weight > limits.SOURCE_NODES:
            raise _Unreadable(done.line, "too large once its aliases are expanded", "Use fewer YAML aliases")
        self._add(
            _mapping(done, weight) if done.is_map else Listing(tuple(done.children), done.line, weight),
            done.anchor,
        )

    def _alias(self, anchor: str, line: int) -> Node:
        if anchor not in self._anchors:
            raise _Unreadable(
                line, f"alias *{anchor} has no finished anchor before it", "Define the anchor first"
            )
        return self._anchors[anchor]

    def _add(self, node: Node, anchor: str | None) -> None:
        if anchor is not None:
            self._anchors[anchor] = node
        if self._stack:
            self._stack[-1].children.append(node)
        else:
            self._root = node


def _mapping(done: _Open, weight: int) -> Mapped:
    entries: dict[Any, Entry] = {}
    pairs = iter(done.children)
    for key in pairs:
        if not isinstance(key, Scalar):
            raise _Unreadable(key.line, "a map key that is itself a collection", "Use a string as key")
        name = key_text(key.value)
        if name in entries:
            raise _Unreadable(
                key.line, f'key "{name}" appears twice in one map', "Remove or rename one of them"
            )
        entries[name] = Entry(name, key.line, _placed(next(pairs), key.line))
    return Mapped(tuple(entries.values()), done.line, weight)


def _placed(value: Node, line: int) -> Node:
    """A value left out is reported where its key stands, not where the parser noticed."""
    return Scalar(None, line) if isinstance(value, Scalar) and value.value is None else value


def key_text(value: Any) -> str:
    """A map key as the string it becomes: keys of values are always strings."""
    if value is None:
        return "null"
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


def _refuse_tag(event: Any, line: int) -> None:
    if event.tag is not None:
        raise _Unreadable(
            line, f"the YAML tag {event.tag}", "Remove the tag; quote a value to make it a string"
        )


def _scalar(event: Any, line: int) -> Any:
    _refuse_tag(event, line)
    if event.style is not None:
        return _whole_characters(event.value, line)
    text: str = event.value
    if text == "<<":
        raise _Unreadable(line, "a YAML merge key", "Write the keys out")
    return _plain(text, line)


def _plain(text: str, line: int) -> Any:
    if _NULL.match(text):
        return None
    if _BOOLEAN.match(text):
        return text[0] in "tT"
    if _INTEGER.match(text) or _RADIX.match(text):
        return _integer(text, line)
    if _DOUBLE.match(text) or _NOT_FINITE.match(text):
        return _double(text, line)
    return _whole_characters(text, line)


def _integer(text: str, line: int) -> int:
    digits = text.lstrip("+-0") if _INTEGER.match(text) else text
    number = int(text, 10 if _INTEGER.match(text) else 0) if len(digits) <= _INTEGER_DIGITS else math.inf
    if not limits.SMALLEST_INTEGER <= number <= limits.LARGEST_INTEGER:
        raise _Unreadable(line, "an integer beyond 64 bits", "Quote it to make it a string")
    return int(number)


def _double(text: str, line: int) -> float:
    number = math.nan if _NOT_FINITE.match(text) else float(text)
    if not math.isfinite(number):
        raise _Unreadable(line, f"{text} is not a finite number", "Use a number JSON can carry")
    return number


def _whole_characters(text: str, line: int) -> str:
    """JSON writes characters beyond the basic plane as two escapes, which belong together."""
    try:
        return text.encode("utf-16", "surrogatepass").decode("utf-16")
    except UnicodeDecodeError:
        raise _Unreadable(
            line, "half of a surrogate pair in a string", "Escape the whole character"
        ) from None
