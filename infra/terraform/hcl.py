"""The grammar of HCL: bodies of attributes and blocks; expressions are words that tell what they refer to."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from infra.terraform.tokens import LINE, MARK, NAME, NUMBER, TEXT, Malformed, Token, tokens

OPENING: Final = frozenset("([{")
CLOSING: Final = frozenset(")]}")
Words = Sequence[Token]


@dataclass(frozen=True, slots=True)
class Reference:
    """Something that is referred to: the names from the first on, what stands in brackets left out."""

    path: tuple[str, ...]
    line: int


@dataclass(frozen=True, slots=True)
class Attribute:
    """A name and the words of its value."""

    name: str
    words: tuple[Token, ...]
    line: int

    def literal(self) -> str | float | bool | None:
        """Return a plain value; None where it is worked out or is no scalar."""
        if len(self.words) != 1:
            return None
        word = self.words[0]
        if word.kind == TEXT:
            return None if word.inner else word.text
        if word.kind == NUMBER:
            return float(word.text)
        return {"true": True, "false": False}.get(word.text)

    def references(self) -> Iterator[Reference]:
        """Yield everything the value refers to."""
        return references(self.words)


@dataclass(frozen=True, slots=True)
class Block:
    """A kind, its labels and its body."""

    kind: str
    labels: tuple[str, ...]
    attributes: tuple[Attribute, ...]
    blocks: tuple["Block", ...]
    line: int

    def attribute(self, name: str) -> Attribute | None:
        """Return an attribute by its name."""
        return next((each for each in self.attributes if each.name == name), None)

    def of(self, *kinds: str) -> Iterator["Block"]:
        """Yield the blocks of some kinds that stand directly in this one."""
        return (each for each in self.blocks if each.kind in kinds)

    def references(self) -> Iterator[Reference]:
        """Yield everything that is referred to anywhere in it."""
        for attribute in self.attributes:
            yield from attribute.references()
        for block in self.blocks:
            yield from block.references()


def parse(source: str) -> Block:
    """Return the body of a file, as a block without a kind."""
    reader = _Reader(list(tokens(source)))
    body = reader.body(Token(NAME, "", 1), ())
    if reader.at < len(reader.words):
        raise Malformed(reader.words[reader.at].line, "a brace closes what was not opened")
    return body


class _Reader:
    """Goes through the words of one file, once."""

    def __init__(self, words: Words) -> None:
        self.words, self.at = words, 0

    def body(self, head: Token, labels: tuple[str, ...]) -> Block:
        attributes: list[Attribute] = []
        blocks: list[Block] = []
        while (word := self._past_lines()) is not None and word.text != "}":
            if word.kind != NAME:
                raise Malformed(word.line, f"{word.text} where a name was expected")
            self.at += 1
            if self._next_is("="):
                attributes.append(Attribute(word.text, self._value(), word.line))
            else:
                blocks.append(self._block(word))
        return Block(head.text, labels, tuple(attributes), tuple(blocks), head.line)

    def _block(self, head: Token) -> Block:
        labels: list[str] = []
        while self.at < len(self.words) and self.words[self.at].kind in (TEXT, NAME):
            labels.append(self.words[self.at].text)
            self.at += 1
        if not self._next_is("{"):
            raise Malformed(head.line, f"{head.text} is neither given a value nor opened")
        body = self.body(head, tuple(labels))
        if not self._next_is("}"):
            raise Malformed(head.line, f"{head.text} is not closed")
        return body

    def _value(self) -> tuple[Token, ...]:
        depth, taken = 0, []
        while self.at < len(self.words):
            word = self.words[self.at]
            depth += deeper(word)
            if depth < 0 or (depth == 0 and word.kind == LINE):
                break
            self.at += 1
            if word.kind != LINE:
                taken.append(word)
        return tuple(taken)

    def _past_lines(self) -> Token | None:
        while self.at < len(self.words) and self.words[self.at].kind == LINE:
            self.at += 1
        return self.words[self.at] if self.at < len(self.words) else None

    def _next_is(self, mark: str) -> bool:
        found = self.at < len(self.words) and self.words[self.at].text == mark
        self.at += found
        return found


def deeper(word: Token) -> int:
    """Return how many brackets a word opens, less those that it closes."""
    if word.kind != MARK:
        return 0
    return (word.text in OPENING) - (word.text in CLOSING)


def references(words: Words) -> Iterator[Reference]:
    """Yield what an expression refers to: chains of names, wherever they stand."""
    at = 0
    while at < len(words):
        yield from references(words[at].inner)
        if words[at].kind == NAME and not (at and words[at - 1].text == "."):
            path, end = _chain(words, at)
            if not _is_key(words, end):
                yield Reference(path, words[at].line)
        at += 1


def _chain(words: Words, at: int) -> tuple[tuple[str, ...], int]:
    path, at = [words[at].text], at + 1
    while at < len(words):
        if words[at].text == "[" and words[at].kind == MARK:
            at = _past_brackets(words, at)
        elif words[at].text == "." and at + 1 < len(words) and words[at + 1].kind in (NAME, NUMBER, MARK):
            if words[at + 1].kind == NAME:
                path.append(words[at + 1].text)
            at += 2
        else:
            break
    return tuple(path), at


def _past_brackets(words: Words, at: int) -> int:
    depth = 0
    while at < len(words):
        depth += deeper(words[at])
        at += 1
        if depth == 0:
            break
    return at


def _is_key(words: Words, end: int) -> bool:
    """Whether a chain that ends here is a key of a map, or a function's name."""
    return end < len(words) and words[end].kind == MARK and words[end].text in ("=", "(")
