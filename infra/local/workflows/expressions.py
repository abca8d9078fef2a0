"""The grammar of `${...}`: a recursive descent parser giving a small syntax tree."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from infra.local.workflows import limits
from infra.local.workflows.tokens import ExpressionError, Token, tokenize


@dataclass(frozen=True, slots=True)
class Literal:
    """A number, string, boolean or null."""

    value: Any
    column: int


@dataclass(frozen=True, slots=True)
class Name:
    """A variable, or a subworkflow named as a value."""

    name: str
    column: int


@dataclass(frozen=True, slots=True)
class Member:
    """`target.key`"""

    target: "Expression"
    key: str
    column: int


@dataclass(frozen=True, slots=True)
class Item:
    """`target[key]`"""

    target: "Expression"
    key: "Expression"
    column: int


@dataclass(frozen=True, slots=True)
class Call:
    """`function(arguments)`, the function being a dotted name."""

    function: str
    arguments: "tuple[Expression, ...]"
    column: int


@dataclass(frozen=True, slots=True)
class Unary:
    """`-operand` or `not operand`"""

    operator: str
    operand: "Expression"
    column: int


@dataclass(frozen=True, slots=True)
class Binary:
    """An arithmetic, comparison, membership or logical operation."""

    operator: str
    left: "Expression"
    right: "Expression"
    column: int


@dataclass(frozen=True, slots=True)
class ListOf:
    """`[element, ...]`"""

    elements: "tuple[Expression, ...]"
    column: int


Expression = Literal | Name | Member | Item | Call | Unary | Binary | ListOf

_CONSTANTS: Final = {
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    "null": None,
}
_LOGICAL: Final = {"and": "and", "AND": "and", "or": "or", "OR": "or", "not": "not", "NOT": "not"}
RESERVED: Final = frozenset({*_CONSTANTS, *_LOGICAL, "in"})
# Loosest first; every level is left-associative.
_LEVELS: Final = (
    frozenset({"or"}),
    frozenset({"and"}),
    frozenset({"<", "<=", ">", ">=", "==", "!=", "in"}),
    frozenset({"+", "-"}),
    frozenset({"*", "/", "//", "%"}),
)


def parse_expression(source: str) -> Expression:
    """The syntax tree of an expression, or an ExpressionError saying where it breaks."""
    parser = _Parser(tokenize(source))
    tree = parser.binary(0)
    parser.expect("end", "the expression should end here")
    return tree


class _Parser:
    def __init__(self, tokens: list[Token]) -> None:
        self._tokens = tokens
        self._at = 0
        self._depth = 0

    @property
    def _token(self) -> Token:
        return self._tokens[self._at]

    def _next(self) -> Token:
        token = self._token
        self._at += 1
        return token

    def expect(self, text: str, why: str) -> Token:
        """Take the token, which must be this symbol or of this kind."""
        if self._token.kind == text or (self._token.kind == "symbol" and self._token.text == text):
            return self._next()
        raise _unexpected(self._token, why)

    def _operator(self) -> str:
        token = self._token
        if token.kind == "name":
            return "in" if token.text == "in" else _LOGICAL.get(token.text, "")
        return token.text if token.kind == "symbol" else ""

    def binary(self, level: int) -> Expression:
        """An operation of this level of precedence or tighter."""
        if level == len(_LEVELS):
            return self._nested(self._negative)
        left = self.binary(level + 1)
        while (operator := self._operator()) in _LEVELS[level]:
            column = self._next().column
            left = Binary(operator, left, self.binary(level + 1), column)
        return left

    def _nested(self, read: Callable[[], Expression]) -> Expression:
        self._depth += 1
        if self._depth > limits.EXPRESSION_DEPTH:
            raise ExpressionError(
                self._token.column,
                "an expression nested too deeply",
                "Assign a part of it to a variable first",
            )
        tree = read()
        self._depth -= 1
        return tree

    def _negative(self) -> Expression:
        if self._operator() != "-":
            return self._not()
        minus = self._next()
        if self._token.kind == "number":
            number = self._next()
            return self._postfix(Literal(-number.value, minus.column))
        return Unary("-", self._nested(self._negative), minus.column)

    def _not(self) -> Expression:
        if self._operator() != "not":
            return self._postfix(self._atom())
        column = self._next().column
        return Unary("not", self._nested(self._not), column)

    def _postfix(self, tree: Expression) -> Expression:
        while self._token.kind == "symbol" and self._token.text in {".", "[", "("}:
            token = self._next()
            tree = self._suffix(tree, token)
        return tree

    def _suffix(self, tree: Expression, token: Token) -> Expression:
        if token.text == ".":
            return Member(tree, self.expect("name", "a key must follow the dot").text, token.column)
        if token.text == "[":
            key = self.binary(0)
            self.expect("]", "the key or index needs a closing ]")
            return Item(tree, key, token.column)
        return Call(_dotted(tree, token), self._sequence(")"), _column(tree))

    def _sequence(self, closing: str) -> tuple[Expression, ...]:
        elements: list[Expression] = []
        while self._token.text != closing or self._token.kind != "symbol":
            elements.append(self.binary(0))
            if self._token.text != ",":
                break
            self._next()
        self.expect(closing, f"the list needs a comma or a closing {closing}")
        return tuple(elements)

    def _atom(self) -> Expression:
        token = self._next()
        if token.kind in {"number", "string"}:
            return _literal(token)
        if token.kind == "name" and token.text in _CONSTANTS:
            return Literal(_CONSTANTS[token.text], token.column)
        if token.kind == "name" and token.text not in RESERVED:
            return Name(token.text, token.column)
        if token.text == "[" and token.kind == "symbol":
            return ListOf(self._sequence("]"), token.column)
        if token.text == "(" and token.kind == "symbol":
            return self._group()
        raise _unexpected(token, "a value should stand here")

    def _group(self) -> Expression:
        tree = self.binary(0)
        self.expect(")", "the group needs a closing )")
        return tree


def _literal(token: Token) -> Literal:
    if type(token.value) is int and token.value > limits.LARGEST_INTEGER:
        raise ExpressionError(
            token.column, f"the integer {token.text} does not fit 64 bits", "Use a double or a string"
        )
    return Literal(token.value, token.column)


def _unexpected(token: Token, why: str) -> ExpressionError:
    return ExpressionError(token.column, f"unexpected {token.text!r}", f"Mend the expression: {why}")


def _column(tree: Expression) -> int:
    return _column(tree.target) if isinstance(tree, Member) else tree.column


def _dotted(tree: Expression, token: Token) -> str:
    name = dotted_name(tree)
    if name is None:
        raise ExpressionError(
            token.column,
            "only a named function can be called",
            "Call a subworkflow or a library function by its name",
        )
    return name


def dotted_name(tree: Expression) -> str | None:
    """`a.b.c` as text, or None when the tree is anything else."""
    if isinstance(tree, Name):
        return tree.name
    if isinstance(tree, Member):
        target = dotted_name(tree.target)
        return None if target is None else f"{target}.{tree.key}"
    return None
