"""Problems as people and their programs are told them (RFC 9457): one row each, in our words alone.

A problem says what is wrong, where, and what to do. It does not say whether a thing exists that the caller
may not see, what a crash was about, or anything the caller sent.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

import orjson
from starlette.responses import Response

from shared.domain.errors import IllegalTransition, InvalidInput
from shared.domain.permissions import FRESH_FOR
from shared.kernel.identity import Forbidden, Unauthenticated
from shared.kernel.published import IssuerOutOfReach
from shared.ports.document_limits import TooLarge
from shared.ports.documents import AlreadyExists, StaleVersion, StorageFull, StoredUnreadable
from shared.ports.trouble import ServiceTrouble
from shared.runtime.incoming import BodyBrokeOff, BodyTooLarge, MethodNotAllowed
from shared.runtime.platform import PlatformUnbound
from shared.runtime.responses import CRASHED, TryLater, described

PROBLEM_JSON: Final = "application/problem+json"
URN: Final = "urn:keyfleet:problem:"


class NotThere(Exception):
    """A thing that is not there, or is none of the caller's business: both are answered alike."""


class SignInAgain(Exception):
    """Something that asks for fresh proof, of somebody whose sign-in is a while ago."""


class NotJson(Exception):
    """A body of another kind than was asked for."""


class PreconditionFailed(Exception):
    """A thing that changed since the caller looked at it."""


class PreconditionRequired(Exception):
    """A change that must say which state of the thing it is meant for."""


class OtherContent(Exception):
    """An Idempotency-Key that was sent before, with another request."""


class NotNow(Exception):
    """A thing in a state that does not take what is asked, in our own words."""


@contextmanager
def as_state() -> Iterator[None]:
    """Tell a command's refusal as what it is to a caller whose request is well formed: not possible now."""
    try:
        yield
    except InvalidInput as refusal:
        raise NotNow(f"{refusal.field}: {refusal.problem}") from None


class TooMany(Exception):
    """A caller who asked too often for what is counted."""


class InvalidInputs(Exception):
    """Several fields that cannot be accepted."""

    def __init__(self, problems: Sequence[InvalidInput]) -> None:
        super().__init__("; ".join(map(str, problems)))
        self.problems = tuple(problems)


@dataclass(frozen=True, slots=True)
class Problem:
    """One row of the catalogue."""

    code: str
    status: int
    title: str
    meaning: str
    remedy: str
    retry_after: int | None = None


CATALOGUE: Final[tuple[Problem, ...]] = (
    Problem(
        "invalid-input",
        400,
        "Invalid input",
        "A field of the request cannot be accepted.",
        "Mend what `errors` names.",
    ),
    Problem("broken-off", 400, "Broken off", "The body ended before its end.", "Send the request again."),
    Problem(
        "unauthenticated",
        401,
        "Not signed in",
        "No token or key, or one that proves nothing.",
        "Send Authorization: Bearer with a token for this API that is not expired.",
    ),
    Problem(
        "sign-in-again",
        401,
        "Sign in again",
        f"This asks for a sign-in of the last {FRESH_FOR.seconds // 60} minutes.",
        "Sign in again, and repeat the request with the new token.",
    ),
    Problem(
        "forbidden",
        403,
        "Not allowed",
        "None of the caller's roles holds the permission.",
        "Ask somebody who holds it: infra/docs/permissions.md lists the roles.",
    ),
    Problem(
        "not-found",
        404,
        "Not found",
        "There is no such thing here, or it is none of the caller's business.",
        "Check the address and the ids in it.",
    ),
    Problem(
        "method-not-allowed",
        405,
        "Method not allowed",
        "The address is right, the method is not.",
        "Use a method that the Allow header names.",
    ),
    Problem(
        "conflict",
        409,
        "Not possible now",
        "The thing is in a state that does not take this.",
        "Look at its present state, and decide anew.",
    ),
    Problem(
        "precondition-failed",
        412,
        "Changed meanwhile",
        "The thing changed since its ETag was given.",
        "Get it again, and repeat the change with its new ETag.",
    ),
    Problem(
        "body-too-large",
        413,
        "Too large",
        "The body is longer than is read here.",
        "Send less, or in several requests.",
    ),
    Problem(
        "not-json",
        415,
        "Not JSON",
        "The body is of another kind than JSON.",
        "Send it with Content-Type: application/json.",
    ),
    Problem(
        "key-reused",
        422,
        "Key used before",
        "The Idempotency-Key was sent before, with another request; that one stands, this one was not done.",
        "Send each change with a key of its own, and the same change with the same key.",
    ),
    Problem(
        "precondition-required",
        428,
        "Which state?",
        "A change of this thing must say which state of it is meant.",
        "Send If-Match with the ETag of the thing as it was read.",
    ),
    Problem(
        "too-many",
        429,
        "Too many",
        "The caller asked for this too often; each time is counted.",
        "Wait as long as Retry-After says.",
        retry_after=60,
    ),
    Problem(
        "crashed",
        500,
        "Our fault",
        "The request broke something of ours; nobody is told more here.",
        "Try again later; if that does not help, tell us the requestId.",
    ),
    Problem(
        "try-later",
        503,
        "Try later",
        "Something that is needed cannot be had just now; nothing was decided.",
        "Send the same request again, after as long as Retry-After says.",
        retry_after=2,
    ),
    Problem(
        "too-slow",
        504,
        "Too slow",
        "The work was stopped; what it asked of others may have been done.",
        "Look at the thing before sending the request again.",
    ),
    Problem(
        "storage-full",
        507,
        "No room",
        "There is no room to keep anything more.",
        "An operator must make room; nothing was lost.",
        retry_after=60,
    ),
)
BY_CODE: Final[Mapping[str, Problem]] = {each.code: each for each in CATALOGUE}

TOLD_AS: Final[Mapping[type[Exception], str]] = {
    InvalidInputs: "invalid-input",
    InvalidInput: "invalid-input",
    BodyBrokeOff: "broken-off",
    Unauthenticated: "unauthenticated",
    SignInAgain: "sign-in-again",
    Forbidden: "forbidden",
    NotThere: "not-found",
    MethodNotAllowed: "method-not-allowed",
    IllegalTransition: "conflict",
    NotNow: "conflict",
    OtherContent: "key-reused",
    TooMany: "too-many",
    PreconditionFailed: "precondition-failed",
    BodyTooLarge: "body-too-large",
    NotJson: "not-json",
    PreconditionRequired: "precondition-required",
    StorageFull: "storage-full",
    TryLater: "try-later",
    PlatformUnbound: "try-later",
    AlreadyExists: "try-later",
    StaleVersion: "try-later",
    StoredUnreadable: "try-later",
    ServiceTrouble: "try-later",
    TooLarge: "try-later",
    IssuerOutOfReach: "try-later",
    TimeoutError: "too-slow",
}
"""Which row an error is told as; what is not here crashed."""
_STEP_UP: Final = f'Bearer error="insufficient_user_authentication", max_age={FRESH_FOR.seconds}'


def problem_of(error: Exception) -> Problem:
    """Return the row an error is told as."""
    code = next((code for kind, code in TOLD_AS.items() if isinstance(error, kind)), "crashed")
    return BY_CODE[code]


def problem_response(error: Exception, request_id: str) -> Response:
    """Return an error as people's programs read it."""
    row = problem_of(error)
    told: dict[str, Any] = {
        "type": URN + row.code,
        "title": row.title,
        "status": row.status,
        "code": row.code,
        "detail": _detail(error, row),
        "remedy": row.remedy,
        "requestId": request_id,
    }
    if wrong := _wrong_fields(error):
        told["errors"] = [described(each) for each in wrong]
    return Response(orjson.dumps(told), row.status, headers_of(error, row), media_type=PROBLEM_JSON)


def headers_of(error: Exception, row: Problem) -> dict[str, str]:
    """Return what goes with a problem, whether it is told as JSON or as a page."""
    headers = {"cache-control": "no-store"}
    if row.status == 401:
        headers["www-authenticate"] = _STEP_UP if isinstance(error, SignInAgain) else "Bearer"
    if row.retry_after is not None:
        headers["retry-after"] = str(row.retry_after)
    if isinstance(error, MethodNotAllowed):
        headers["allow"] = ", ".join(error.allowed)
    return headers | (CRASHED if row.status == 500 else {})


def _detail(error: Exception, row: Problem) -> str:
    # These are of our own words, about what the caller did; those of other errors may quote what they met.
    ours = isinstance(error, Unauthenticated | IllegalTransition | NotNow | BodyTooLarge)
    return str(error) if ours else row.meaning


def _wrong_fields(error: Exception) -> Sequence[InvalidInput]:
    if isinstance(error, InvalidInputs):
        return error.problems
    return (error,) if isinstance(error, InvalidInput) else ()
