"""`keyfleet events`: the subjects that travel, what becomes of each here, and an example of its payload."""

import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from rich.text import Text

from infra.cli.answer import Answer, line, plain, table
from infra.cli.problems import not_found
from shared.events.catalogue import CATALOGUE, lookup
from shared.events.errors import UnknownSubject
from shared.events.subject import Direction, Subject

EXAMPLES: Final = Path(__file__).parents[2] / "shared" / "events" / "examples"
PREFIXES: Final = (
    "",
    *(f"melmastoon.{family}" for family in ("", "reservation.", "reservation.booking.", "lock.", "tenant.")),
)
SUFFIXES: Final = ("", ".v1")
Name = Annotated[
    str | None,
    typer.Argument(help="A subject, or the words of one, such as booking.confirmed. Else all are listed."),
]
Json = Mapping[str, Any]


def events(subject: Name = None) -> Answer:
    """List the subjects that travel, or show one with an example of its payload."""
    from infra.manifest.load import load_manifest  # pydantic and YAML, for this command alone

    heard = frozenset(load_manifest().topics())
    if subject is not None:
        facts = _shown(named(subject), heard)
        return Answer({"events": [facts]}, tuple(_one(facts)))
    listed = [_shown(each, heard) for each in CATALOGUE.values()]
    rows = [(each["subject"], each["direction"], each["becomes"]) for each in listed]
    hint = line("An example payload of each: keyfleet events SUBJECT, or all of them with --json.")
    return Answer({"events": listed}, (table(("subject", "direction", "what becomes of it"), rows), hint))


def named(words: str) -> Subject:
    """Return the subject that is meant by its name, or by what is peculiar to it."""
    for prefix in PREFIXES:
        for suffix in SUFFIXES:
            try:
                return lookup(f"{prefix}{words}{suffix}")
            except UnknownSubject:
                continue
    close = [name for name in CATALOGUE if words in name]
    remedy = f"perhaps {' or '.join(close[:3])}" if close else "see keyfleet events"
    raise not_found("subject", [words], remedy)


def _shown(subject: Subject, heard: frozenset[str]) -> Json:
    return {
        "subject": subject.name,
        "direction": subject.direction.value,
        "producer": subject.producer,
        "consumers": list(subject.consumers),
        "becomes": _becomes(subject, heard),
        "example": _examples()[subject.name],
    }


def _becomes(subject: Subject, heard: frozenset[str]) -> str:
    if subject.direction is Direction.PRODUCED:
        return f"published for {', '.join(subject.consumers)}"
    if subject.direction is Direction.LOCAL:
        return "drained from a desk through /sync/v1/push"
    if subject.name in heard:
        return f"handled by {subject.handler}"
    return f"kept for {subject.handler}, which is still to come"


@cache
def _examples() -> Mapping[str, Json]:
    files = (EXAMPLES / f"{direction.value}.json" for direction in Direction)
    read = (json.loads(file.read_text(encoding="utf-8")) for file in files)
    return {name: payloads[0] for each in read for name, payloads in each.items()}


def _one(facts: Json) -> Iterator[Text]:
    yield line(plain(facts["subject"], "bold"), f"  {facts['direction']}, by {facts['producer']}")
    yield line(f"  {facts['becomes']}")
    yield line("  an example of its payload:")
    yield plain(json.dumps(facts["example"], indent=2, ensure_ascii=False))
    if facts["direction"] == Direction.CONSUMED.value:
        yield line(f"  keyfleet publish {facts['subject']} --tenant TENANT --data @payload.json --wait")
