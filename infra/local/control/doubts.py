"""What is valid in an event and will change nothing: said at publishing, for nobody else ever says it."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from shared.domain.kinds import Area, KeyCredentialKind
from shared.events.catalogue import model_for
from shared.events.codec import refusing
from shared.events.errors import FieldProblem, InvalidEvent
from shared.offline.arrivals import PAID

PASSED_OVER: Final = "extra inputs are not permitted"
KINDS: Final = tuple(KeyCredentialKind)
AREAS: Final = tuple(Area)
Json = Mapping[str, Any]


def doubts(subject: str, data: Json) -> list[FieldProblem]:
    """Return fields nobody reads, words nobody knows, payment states that withhold nothing."""
    return [*_unread(subject, data), *_unknown_words(data), *_payment(data)]


def _unread(subject: str, data: Json) -> Iterator[FieldProblem]:
    try:
        with refusing():
            model_for(subject).model_validate(data, by_alias=True, by_name=False, extra="forbid")
    except InvalidEvent as refusal:
        for each in refusal.problems:
            if each.problem == PASSED_OVER:
                yield FieldProblem(f"data.{each.path}", "nobody reads this field", "check its spelling")


def _unknown_words(data: Json) -> Iterator[FieldProblem]:
    scope = data.get("scope")
    areas = scope.get("areas") if isinstance(scope, dict) else None
    for field, words, known in (
        ("data.preferredKinds", data.get("preferredKinds"), KINDS),
        ("data.scope.areas", areas, AREAS),
    ):
        strange = [str(word)[:40] for word in words or () if word not in known]
        if strange:
            problem = f"passed over, for there is no such word: {', '.join(strange)}"
            yield FieldProblem(field, problem, f"there are {', '.join(known)}")


def _payment(data: Json) -> Iterator[FieldProblem]:
    state = data.get("paymentStatus")
    if state is not None and state not in PAID:
        problem = f"{str(state)[:40]!r} withholds no key: a confirmed booking gets one, paid or not"
        yield FieldProblem("data.paymentStatus", problem, "confirm the booking when its key shall be made")
