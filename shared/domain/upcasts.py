"""How a document of an older version is read: one step per kind and version, each to the version after it."""

from collections.abc import Callable, Mapping
from datetime import date, timedelta
from typing import Any, Final

TWO_MONTHS: Final = timedelta(days=62)
Step = Callable[[Mapping[str, Any]], dict[str, Any]]
"""From the plain document of one version to that of the next; `schema_version` is taken care of."""


def _wish_of_a_grant(document: Mapping[str, Any]) -> dict[str, Any]:
    """Before grants had wishes, what became of one was to be seen from its state."""
    leaving = document["grant"]["state"]["type"] in ("removing", "residual", "removed")
    return {**document, "wish": "gone" if leaving else "open"}


def _settle_is_what_withdraw_was(document: Mapping[str, Any]) -> dict[str, Any]:
    """Before keys could rest or move, all that was not issued was withdrawn."""
    saga = document["saga"]
    return {**document, "saga": {**saga, "kind": "issue" if saga["kind"] == "issue" else "settle"}}


def _vendors_were_not_counted(document: Mapping[str, Any]) -> dict[str, Any]:
    """Before days said what each vendor did: this month's and the last one's are counted anew."""
    counted = date.fromisoformat(document["day"])
    return {**document, "day": (counted - TWO_MONTHS).isoformat()}


UPCASTS: Final[dict[tuple[str, int], Step]] = {
    ("CountedUpTo", 1): _vendors_were_not_counted,
    ("GrantRecord", 1): _wish_of_a_grant,
    ("KeyRecord", 1): _settle_is_what_withdraw_was,
}
"""By the kind's name and the version that was stored; without its step nobody can read a document."""
