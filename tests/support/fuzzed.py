"""What strangers and vendors in disorder send: bodies made of bodies that had something new said of them.

No coverage is measured: what a reader says (which field it refuses and why, or what a notice holds) stands
for the way that it went. A way that was not seen yet keeps its body, and the next are made of it too.
"""

from collections.abc import Callable, Hashable, Sequence
from random import Random

MOST_KEPT = 4000
LONGEST, FEW = 4000, 4
"""What is longer takes as long to read as a hundred others: a few such bodies are changed among all those."""
MOST_BYTES = 4


class Corpus:
    """Bodies to make others of, and what was said of those that were made."""

    def __init__(self, seeds: Sequence[bytes], words: Sequence[bytes], chance: Random) -> None:
        long = [body for body in seeds if len(body) >= LONGEST]
        self._bodies = [body for body in dict.fromkeys(seeds) if body not in long[FEW:]]
        self._unheard = self._bodies.copy()
        self._words, self._random = list(words), chance.random
        self.said = set[Hashable]()
        self._ways: list[Callable[[bytes, int], bytes]] = [
            *(self._changed, self._worded, self._cut, self._joined),
            *(self._doubled, self._changed, self._worded),
        ]

    def next(self) -> bytes:
        """Return a body: each seed once as it is, and then one that is kept, changed in some way."""
        if self._unheard:
            return self._unheard.pop()
        body = self._bodies[self._below(len(self._bodies))]
        way = self._ways[self._below(len(self._ways))]
        return way(body, self._below(len(body) + 1))

    def heard(self, body: bytes, said: Hashable) -> None:
        """Keep a body of which something was said that was said of none before."""
        if said in self.said:
            return
        self.said.add(said)
        if len(self._bodies) < MOST_KEPT and len(body) < LONGEST:
            self._bodies.append(body)

    def _below(self, count: int) -> int:
        return int(self._random() * count)

    def _changed(self, body: bytes, _at: int) -> bytes:
        changed = bytearray(body)
        for _ in range(1 + self._below(MOST_BYTES) if body else 0):
            changed[self._below(len(changed))] = self._below(256)
        return bytes(changed)

    def _worded(self, body: bytes, at: int) -> bytes:
        """Put a word somewhere, perhaps in place of as much."""
        word = self._words[self._below(len(self._words))]
        return body[:at] + word + body[at + self._below(len(word) + 1) :]

    def _cut(self, body: bytes, at: int) -> bytes:
        return body[:at] + body[at + self._below(len(body) - at + 1) :]

    def _joined(self, body: bytes, at: int) -> bytes:
        other = self._bodies[self._below(len(self._bodies))]
        return body[:at] + other[self._below(len(other) + 1) :]

    def _doubled(self, body: bytes, at: int) -> bytes:
        part = body[at : at + 1 + self._below(40)]
        return body[:at] + part * (1 + self._below(8)) + body[at:]
