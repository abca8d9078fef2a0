"""Finds leftmost-longest matches: each in time linear in the text, all of them within a budget of steps."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from infra.local.workflows.errors import value_error
from infra.local.workflows.library.character_classes import CharacterTest
from infra.local.workflows.library.pattern_syntax import (
    Character,
    Choice,
    Edge,
    EdgeTest,
    Repeat,
    Series,
    Tree,
    parse_pattern,
)

_MOST_STATES: Final = 10_000
STEPS, STEPS_PER_LETTER = 100_000, 20
"""How many letters may be looked at, by all matches of a call together."""
_MATCH: Final = 0


@dataclass(slots=True)
class _State:
    """A state of the automaton: a character to read, an edge to pass, or neither; then where to go."""

    character: CharacterTest | None = None
    edge: EdgeTest | None = None
    following: list[int] = field(default_factory=list)


class Pattern:
    """A compiled regular expression."""

    def __init__(self, tree: Tree) -> None:
        self._states = [_State()]
        self._first = self._build(tree, _MATCH)

    def find_all(self, text: str) -> Iterator[tuple[int, int]]:
        """Start and end of every match, left to right; an empty match right after another is none."""
        at, previous = 0, -1
        # Every match may look at all that follows it: together they could hold the loop for hours.
        steps = iter(range(STEPS + STEPS_PER_LETTER * len(text)))
        while at <= len(text):
            found = self._search(text, at, steps)
            if found is None:
                return
            start, end = found
            if start != end or start != previous:
                yield start, end
            at, previous = (end, end) if end > start else (end + 1, previous)

    def _search(self, text: str, at: int, steps: Iterator[int]) -> tuple[int, int] | None:
        """Every state remembers the earliest start that leads to it; the earliest match then grows."""
        threads: dict[int, int] = {}
        best: tuple[int, int] | None = None
        for position in range(at, len(text) + 1):
            if next(steps, None) is None:
                raise value_error("the expression takes too long to match this text: make it less ambiguous")
            before, after = text[position - 1 : position] if position else "", text[position : position + 1]
            reached: dict[int, int] = {}
            for state, start in threads.items():
                self._follow(state, start, (before, after), reached)
            if best is None:
                self._follow(self._first, position, (before, after), reached)
            if _MATCH in reached and (best is None or reached[_MATCH] <= best[0]):
                best = (reached[_MATCH], position)
            threads = self._step(reached, after, best)
            if best is not None and not threads:
                return best
        return best

    def _step(self, reached: dict[int, int], after: str, best: tuple[int, int] | None) -> dict[int, int]:
        moved: dict[int, int] = {}
        if after == "":
            return moved
        for number, start in sorted(reached.items(), key=lambda each: each[1]):
            state = self._states[number]
            alive = best is None or start <= best[0]
            if alive and state.character is not None and state.character(after):
                moved.setdefault(state.following[0], start)
        return moved

    def _follow(self, state: int, start: int, around: tuple[str, str], reached: dict[int, int]) -> None:
        stack = [state]
        while stack:
            number = stack.pop()
            if reached.get(number, start + 1) <= start:
                continue
            reached[number] = start
            found = self._states[number]
            if found.character is None and (found.edge is None or found.edge(*around)):
                stack.extend(found.following)

    def _build(self, tree: Tree, following: int) -> int:
        """Add the states of a tree that leads on to a state; the number of its first state."""
        match tree:
            case Character(test):
                return self._add(_State(character=test, following=[following]))
            case Edge(test):
                return self._add(_State(edge=test, following=[following]))
            case Series(parts):
                for part in reversed(parts):
                    following = self._build(part, following)
                return following
            case Choice(parts):
                return self._add(_State(following=[self._build(part, following) for part in parts]))
            case Repeat(part, least, most):
                return self._repeat(part, least, most, following)

    def _repeat(self, part: Tree, least: int, most: int | None, following: int) -> int:
        if most is None:
            loop = self._add(_State(following=[following]))
            self._states[loop].following.append(self._build(part, loop))
            following = loop
        for _ in range((most or least) - least):
            following = self._add(_State(following=[following, self._build(part, following)]))
        for _ in range(least):
            following = self._build(part, following)
        return following

    def _add(self, state: _State) -> int:
        if len(self._states) >= _MOST_STATES:
            raise value_error("invalid regular expression: it is too large")
        self._states.append(state)
        return len(self._states) - 1


@lru_cache(maxsize=256)
def compile_pattern(source: str) -> Pattern:
    """The pattern of an RE2 expression; an invalid one is a ValueError of the language."""
    return Pattern(parse_pattern(source))
