"""The views of the console that a person saved: a screen, what it was asked for, and what they call it.

A view is an address and no right: who opens it sees what their roles hold, at the hotels where they work.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Final, Self
from urllib.parse import parse_qsl, urlencode

from shared.domain.errors import InvalidInput
from shared.domain.ids import UserId
from shared.ledger.reading import read_record
from shared.ports.documents import Ref, TenantDocuments
from shared.streams.record import Record

VIEWS: Final = "console_views"
MOST: Final = 20
LONGEST_NAME: Final = 60
LONGEST_ASKED: Final = 400
KEPT: Final = ("property", "id", "door", "only", "month")
"""What of an address a view keeps; the rest of it nobody asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedView:
    """One view."""

    name: str
    screen: str
    asked: str = ""

    def __post_init__(self) -> None:
        if not 0 < len(self.name) <= LONGEST_NAME:
            raise InvalidInput("name", "empty or too long", f"Give up to {LONGEST_NAME} letters")
        if len(self.asked) > LONGEST_ASKED:
            raise InvalidInput("asked", "too long", "Save a page of the console")


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedViews(Record):
    """All views of one person, in the order in which they were saved."""

    schema_version: ClassVar[int] = 1

    user: UserId
    views: tuple[SavedView, ...] = ()

    @property
    def ref(self) -> Ref:
        """Where they are kept."""
        return Ref(VIEWS, self.user)

    def links(self, screens: Collection[str]) -> tuple[tuple[str, str], ...]:
        """Return what each is called and where it leads, of the screens that there are for the person."""
        here = (each for each in self.views if each.screen in screens)
        return tuple((each.name, f"{each.screen}?{each.asked}") for each in here)

    def with_view(self, view: SavedView) -> Self:
        """Return them with one more, or with another of its name."""
        others = tuple(each for each in self.views if each.name != view.name)
        if len(others) >= MOST:
            raise InvalidInput("name", f"more than {MOST} views", "Remove one that is no longer looked at")
        return replace(self, views=(*others, view))

    def without(self, name: str) -> Self:
        """Return them without one."""
        return replace(self, views=tuple(each for each in self.views if each.name != name))


def asked_again(query: Mapping[str, str]) -> str:
    """Return what of an address a view keeps, as it stands in one."""
    return urlencode({name: query[name] for name in KEPT if query.get(name)})[:LONGEST_ASKED]


def view_of(form: Mapping[str, str]) -> SavedView:
    """Return the view that a form asks to save: of its address, what a view keeps."""
    asked = dict(parse_qsl(form.get("asked", "")[:LONGEST_ASKED]))
    return SavedView(
        name=form.get("name", "").strip(), screen=form.get("screen", ""), asked=asked_again(asked)
    )


async def views_of(user: UserId, store: TenantDocuments) -> SavedViews:
    """Return a person's views."""
    found = await store.get(Ref(VIEWS, user))
    return SavedViews(user=user) if found is None else read_record(SavedViews, found)
