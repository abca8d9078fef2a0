"""What happens to a stay, a room or everything, as it happens, until Ctrl-C.

Each second the fleet is asked which keys there are. Only of a key that changed, or that is not at rest, is
the timeline asked for; what was told before is not told again.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from rich.text import Text

from infra.cli.answer import Answer, Telling, line, plain
from infra.cli.control import ControlPlane
from infra.cli.polling import Patience
from infra.cli.problems import Refused
from infra.cli.timeline import said

EVERY_SECONDS: Final = 1.0
MOST_KEYS: Final = 200
UNMADE: Final = frozenset({"requested", "pending"})
UNDER_WAY: Final = frozenset({"intended", "removing"})
Json = Mapping[str, Any]


@dataclass(slots=True)
class Followed:
    """Who is followed, and what was told of them already."""

    control: ControlPlane
    identity: str | None
    tenant: str | None
    told: list[Json] = field(default_factory=list)
    _seen: set[tuple[Any, ...]] = field(default_factory=set)
    _keys: dict[str, Json] = field(default_factory=dict)
    _letter: str = "0"

    def news(self) -> list[Json]:
        """Return what happened since it was last asked, in order."""
        fresh = [each for each in self._happened() if self._is_new(each)]
        fresh.sort(key=lambda each: str(each["at"]))
        self.told += fresh
        return fresh

    def _is_new(self, each: Json) -> bool:
        known = tuple(each.values())
        new = known not in self._seen
        self._seen.add(known)
        return new

    def _happened(self) -> Iterator[Json]:
        if self.identity is not None and "_" in self.identity and not self.identity.startswith("rmu_"):
            yield from self._of(self.identity)
            return
        for key in self._changed():
            yield from self._of(key["reservation"] or key["id"])
        if self.identity is None:
            yield from self._letters()

    def _of(self, identity: str) -> Iterator[Json]:
        try:
            yield from self.control.get("timeline", identity, tenant=self.tenant)["timeline"]
        except Refused:  # nothing was heard of it yet: it may come
            return

    def _changed(self) -> Iterator[Json]:
        listed = self.control.get("credentials", tenant=self.tenant, limit=MOST_KEYS)["credentials"]
        for key in listed:
            if self._is_at(key["rooms"]) and (self._keys.get(key["id"]) != key or _moves(key)):
                self._keys[key["id"]] = key
                yield key

    def _is_at(self, rooms: list[str]) -> bool:
        return self.identity is None or bool({self.identity, f"rmu_{self.identity}"} & set(rooms))

    def _letters(self) -> Iterator[Json]:
        found = self.control.get("dead-letters", after=self._letter, limit=MOST_KEYS)["messages"]
        for letter in found:
            self._letter = letter["id"]
            why = "; ".join(str(each["problem"]) for each in letter["problems"])
            about = letter["reservation"] or letter["topic"]
            what = f"{letter['subject'] or letter['topic']} as message {letter['id']}: {why}"
            at = letter["parked_at"]
            yield {
                "at": at,
                "source": "event",
                "kind": "set aside",
                "about": about,
                "what": what,
                "branch": "",
            }


def followed(it: Followed, patience: Patience) -> Telling:
    """Tell what has happened so far, and then what happens, until Ctrl-C."""
    try:
        yield _whom(it)
        while True:
            yield from said(it.news())
            patience.pause(EVERY_SECONDS)
    except KeyboardInterrupt:
        return Answer({"id": it.identity, "timeline": it.told})


def _whom(it: Followed) -> Text:
    return line(plain(f"Following {it.identity or 'everything'}; Ctrl-C ends it.", "dim"))


def _moves(key: Json) -> bool:
    return key["state"] in UNMADE or any(grant["state"] in UNDER_WAY for grant in key["grants"])
