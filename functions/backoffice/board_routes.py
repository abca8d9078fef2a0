"""The dashboard and the workbench: pages of widgets, each in its own time, and told as they were shown."""

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from functions.backoffice.desk import Desk, UseCase, at_desk
from functions.backoffice.services import boards_of
from functions.backoffice.session_routes import ROOT, P
from shared.domain.ids import PropertyId
from shared.domain.instants import instant_to_text
from shared.events.backoffice.boundary import their_property
from shared.events.wire import Published
from shared.queries.boards import VIEWS, WIDGETS, Lobby
from shared.queries.composing import Composed, Read
from shared.runtime.platform import Platform
from shared.runtime.problems import NotThere
from shared.runtime.responses import TryLater
from shared.runtime.routes import Route
from shared.usecases.backoffice.feed import feed_of
from shared.usecases.backoffice.inbox import ALERTS, SUGGESTIONS, Waiting, waiting_at


class Widget(Published):
    """One part of a page: what was read, and when."""

    as_of: str
    items: tuple[dict[str, Any], ...]


class Dashboard(Published):
    """A hotel at a glance, as far as it could be read in time."""

    property_id: str
    render_mode: str
    partial: bool
    missing_widgets: tuple[str, ...]
    widgets: dict[str, Widget]


class Workbench(Published):
    """One view of the workbench."""

    property_id: str
    view: str
    render_mode: str
    as_of: str
    items: tuple[dict[str, Any], ...]


def shown_waiting(waits: Waiting) -> dict[str, Any]:
    """Return an entry of an inbox as it is shown."""
    return {
        "id": waits.id,
        "about": waits.about,
        "category": waits.category,
        "severity": waits.severity,
        "since": instant_to_text(waits.since),
        "by": waits.by,
        "outcome": waits.outcome,
    }


def reads_of(house: PropertyId, desk_store: Any, on: Platform) -> dict[str, Read]:
    """Return how each widget of a hotel is read."""

    async def inbox(kind: str) -> list[dict[str, Any]]:
        return [shown_waiting(each) for each in await waiting_at(house, kind, desk_store) if each.waits]

    lobby = Lobby(desk_store, house, on.clock.now())
    read = {name: partial(each, lobby) for name, each in WIDGETS.items()}
    return {**read, "alerts": partial(inbox, ALERTS), "suggestions": partial(inbox, SUGGESTIONS)}


async def _composed(desk: Desk, house: PropertyId, names: Mapping[str, object]) -> Composed:
    if house not in desk.session.properties:
        raise NotThere("no such property")
    # The feed's number comes before the data: what was read before a change is never taken for later.
    epoch = (await feed_of(house, desk.store)).last
    reads = reads_of(house, desk.store, desk.on)
    wanted = {name: reads[name] for name in names}
    return await boards_of(desk.on).compose(desk.store.tenant, house, epoch, wanted)


@at_desk("view", "dashboard.view")
async def _dashboard(desk: Desk) -> Dashboard:
    """Show a hotel at a glance; a widget that is late is missing, and said to be."""
    house = desk.at(PropertyId(desk.asked.ids["propertyId"]))
    page = await _composed(desk, house, dict.fromkeys((*WIDGETS, "alerts", "suggestions")))
    await desk.tell(
        "dashboard.viewed",
        tenant_id=desk.store.tenant,
        property_id=their_property(house),
        operator_id=desk.doing().operator_id,
        operator_role=(*desk.session.roles, "none")[0],
        viewed_at=desk.asked.now,
        render_mode=page.mode,
        partial=bool(page.missing),
        missing_widgets=page.missing,
        latency_ms=desk.since(),
    )
    return Dashboard(
        property_id=house,
        render_mode=page.mode,
        partial=bool(page.missing),
        missing_widgets=page.missing,
        widgets={name: _widget(page, name) for name in page.widgets},
    )


def _widget(page: Composed, name: str) -> Widget:
    shown = page.widgets[name]
    return Widget(as_of=instant_to_text(shown.at), items=tuple(shown.data))


def _workbench(view: str) -> UseCase:
    @at_desk("view", f"workbench.{view}")
    async def show(desk: Desk) -> Workbench:
        """Show one view; without it there is nothing to show, and the desk asks again."""
        house = desk.at(PropertyId(desk.asked.ids["propertyId"]))
        page = await _composed(desk, house, {view: None})
        if page.missing:
            raise TryLater("the view could not be read in time")
        widget = _widget(page, view)
        await desk.tell(
            "workbench.opened",
            tenant_id=desk.store.tenant,
            property_id=their_property(house),
            operator_id=desk.doing().operator_id,
            view=view,
            opened_at=desk.asked.now,
            render_mode=page.mode,
            items_rendered=len(widget.items),
            latency_ms=desk.since(),
        )
        return Workbench(
            property_id=house, view=view, render_mode=page.mode, as_of=widget.as_of, items=widget.items
        )

    return show


_OF: Final = f"{ROOT}/properties/{{propertyId}}"
ROUTES: Final = (
    Route(
        method="GET",
        path=f"{_OF}/dashboard",
        summary="A hotel at a glance",
        use_case=_dashboard,
        answer=Dashboard,
        permission=P,
    ),
    *(
        Route(
            method="GET",
            path=f"{_OF}/workbench/{view.replace('_', '-')}",
            summary=f"The workbench: {view.replace('_', '-')}",
            use_case=_workbench(view),
            answer=Workbench,
            permission=P,
        )
        for view in VIEWS
    ),
)
