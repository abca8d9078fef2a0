"""The views that the person who looks saved, to go to or to forget."""

import html
from typing import Final

from functions.backoffice.console_paper import Markup, form, hidden, shown
from functions.backoffice.screens.look import Look
from shared.domain.errors import InvalidInput
from shared.domain.ids import UserId
from shared.ports.documents import StaleVersion
from shared.runtime.problems import NotNow, NotThere
from shared.usecases.backoffice.console_views import SavedView, SavedViews, view_of, views_of

SAVED: Final = "saved"


async def views(look: Look) -> str:
    """Return the person's views; one whose screen is theirs no more leads nowhere, and can be forgotten."""
    mine = await _mine(look)
    leads = dict(mine.links(look.paper.screens))
    rows = [
        (
            _link(look, each.name, leads[each.name]) if each.name in leads else each.name,
            form(look.paper, "views", hidden(id=each.name), "remove"),
        )
        for each in mine.views
    ]
    return look.table("views", ("view_name", "look"), rows)


def _link(look: Look, name: str, where: str) -> Markup:
    return Markup(f'<a href="{look.paper.base}/{html.escape(where)}">{shown(name)}</a>')


async def save(look: Look) -> str:
    """Save a view under a name, or forget one."""
    mine = await _mine(look)
    try:
        forgets = look.form.get("id")
        changed = mine.with_view(_wanted(look)) if forgets is None else mine.without(forgets)
    except InvalidInput as refusal:
        raise NotNow(str(refusal)) from None
    if changed == mine:
        raise NotThere("no such view")
    try:
        await changed.saved(look.store)
    except StaleVersion:
        raise NotNow("changed just now in another window") from None
    return SAVED


def _wanted(look: Look) -> SavedView:
    view = view_of(look.form)
    if view.screen not in look.paper.screens:
        raise InvalidInput("screen", "not one of yours", "Save a page that you look at")
    return view


async def _mine(look: Look) -> SavedViews:
    assert isinstance(look.who.id, UserId)  # noqa: S101 - no program has a console
    return await views_of(look.who.id, look.store)
