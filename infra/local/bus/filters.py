"""The filter language of Pub/Sub subscriptions: attributes only, refused at load with the position."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

Predicate = Callable[[Mapping[str, str]], bool]
LONGEST = 256
DEEPEST = 20
TOKEN = re.compile(
    r"""\s*(?:(?P<word>[A-Za-z0-9_-]+)|(?P<text>"(?:[^"\\]|\\.)*")|(?P<mark>!=|[=:.,()]))""", re.DOTALL
)
ESCAPE = re.compile(r"\\(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|(.))", re.DOTALL)
ESCAPED = {"n": "\n", "r": "\r", "t": "\t", '"': '"', "\\": "\\"}
FORMS = 'attributes:key, attributes.key = "value", attributes.key != "value", hasPrefix(attributes.key, "st")'


class FilterRefused(Exception):
    """The text is not a filter."""

    def __init__(self, finding: str, position: int, remedy: str) -> None:
        super().__init__(f"{finding} at position {position}: {remedy}")
        self.position = position


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    at: int


def compile_filter(text: str) -> Predicate:
    """Return the predicate over attributes, or raise FilterRefused; empty text accepts everything."""
    if len(text.encode()) > LONGEST:
        raise FilterRefused("the filter is too long", LONGEST, f"keep it within {LONGEST} bytes")
    if not text.strip():
        return _everything
    return _Parser(list(_tokens(text)), len(text)).whole()


def _everything(_: Mapping[str, str]) -> bool:
    return True


def _tokens(text: str) -> Iterator[_Token]:
    at, end = 0, len(text.rstrip())
    while at < end:
        found = TOKEN.match(text, at)
        if not found or found.lastgroup is None:
            start = at + len(text[at:]) - len(text[at:].lstrip())
            raise FilterRefused(f"unexpected {text[start]!r}", start, f"write {FORMS}")
        yield _Token(found.lastgroup, found[found.lastgroup], found.start(found.lastgroup))
        at = found.end()


class _Parser:
    """Recursive descent over the tokens; every rule returns a predicate."""

    def __init__(self, tokens: list[_Token], end: int) -> None:
        self._tokens = [*tokens, _Token("end", "the end", end)]
        self._next, self._depth = 0, 0

    def whole(self) -> Predicate:
        predicate = self._expression()
        if self._peek().kind != "end":
            raise self._refused("combine conditions with AND or OR")
        return predicate

    def _expression(self) -> Predicate:
        terms = [self._term()]
        operator = self._peek().text
        joined = {"AND": all, "OR": any}.get(operator)
        if joined is None:
            return terms[0]
        while self._peek().text == operator:
            self._take()
            terms.append(self._term())
        if self._peek().text in {"AND", "OR"}:
            raise self._refused("put parentheses around what belongs together when mixing AND and OR")
        return lambda attributes: joined(term(attributes) for term in terms)

    def _term(self) -> Predicate:
        self._depth += 1
        if self._depth > DEEPEST:
            raise self._refused(f"nest at most {DEEPEST} deep")
        rules = {
            "NOT": self._negation,
            "(": self._group,
            "attributes": self._attribute,
            "hasPrefix": self._prefix,
        }
        rule = rules.get(self._peek().text)
        if rule is None:
            raise self._refused(f"write {FORMS}")
        self._take()
        predicate = rule()
        self._depth -= 1
        return predicate

    def _negation(self) -> Predicate:
        term = self._term()
        return lambda attributes: not term(attributes)

    def _group(self) -> Predicate:
        inner = self._expression()
        self._expect(")")
        return inner

    def _attribute(self) -> Predicate:
        if self._peek().text == ":":
            self._take()
            key = self._key()
            return lambda attributes: key in attributes
        self._expect(".")
        return self._comparison(self._key())

    def _comparison(self, key: str) -> Predicate:
        operator = self._peek().text
        if operator not in {"=", "!="}:
            raise self._refused(f"compare with = or !=, as in {FORMS}")
        self._take()
        value = self._text()
        if operator == "=":
            return lambda attributes: attributes.get(key) == value
        return lambda attributes: attributes.get(key) != value

    def _prefix(self) -> Predicate:
        for mark in ("(", "attributes", "."):
            self._expect(mark)
        key = self._key()
        self._expect(",")
        start = self._text()
        self._expect(")")
        return lambda attributes: attributes.get(key, "").startswith(start) and key in attributes

    def _key(self) -> str:
        if self._peek().kind == "word":
            return self._take().text
        if self._peek().kind == "text":
            return self._text()
        raise self._refused('name an attribute; quote it unless it is letters, digits, "-" and "_"')

    def _text(self) -> str:
        if self._peek().kind != "text":
            raise self._refused("put the value in double quotes")
        return _unquoted(self._take())

    def _expect(self, text: str) -> None:
        if self._peek().text != text:
            raise self._refused(f"expected {text!r}")
        self._take()

    def _peek(self) -> _Token:
        return self._tokens[self._next]

    def _take(self) -> _Token:
        token = self._tokens[self._next]
        self._next += 1
        return token

    def _refused(self, remedy: str) -> FilterRefused:
        token = self._peek()
        return FilterRefused(f"unexpected {token.text}", token.at, remedy)


def _unquoted(token: _Token) -> str:
    def plain(found: "re.Match[str]") -> str:
        code = found[1] or found[2]
        if code:
            return chr(int(code, 16))
        if found[3] not in ESCAPED:
            raise FilterRefused(
                f"unknown escape {found[0]!r}", token.at + 1 + found.start(), r"double the \ "
            )
        return ESCAPED[found[3]]

    return ESCAPE.sub(plain, token.text[1:-1])
