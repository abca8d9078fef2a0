"""The front desk of a house whose doors hear of nothing: cards, with the network and without it."""

from typing import Final

from infra.cli.demo.claim import Proof
from infra.cli.demo.clerk import Clerk
from infra.cli.demo.front_desk import CLERK, PROPERTY, FrontDesk
from infra.cli.demo.scene import Act, Scene
from infra.cli.demo.stage import Json, Stage
from infra.cli.demo.stay import Stay
from infra.cli.problems import Failed

CARD, ALONE, GONE = "rsv_demo_card", "rsv_demo_alone", "rsv_demo_gone"
ROOMS: Final = {CARD: "rmu_b1", ALONE: "rmu_b2", GONE: "rmu_b1"}
READY, BANNER, NO_CARD = "The card is ready", "No connection", "No card lies there"


def paired(stage: Stage) -> Proof:
    """A machine becomes a desk, and is in touch."""
    desk = _desk(stage)
    said = desk.paired().partition("\n")[0]
    desk.start()
    told = stage.until(lambda: _in_touch(desk))
    return Proof(desk.device_id in said and told["encoders"] == {"left": True}, dict(told), said)


def card(stage: Stage) -> Proof:
    """A booking of the house, and a clerk with a card."""
    desk, stay = _desk(stage), _booked(stage, CARD)
    stage.until(lambda: (desk.status() or {}).get("jobs") or None)
    plastic, clerk = desk.lay_down(), _clerk(stage)
    page = clerk.press("/issue", reservation=stay.id)
    key = stage.until(lambda: _key(stage, stay, "active"))
    read = clerk.press("/read")
    held = READY in page and "Room 1" in read and plastic.writes > 0
    return Proof(held, {"writes": plastic.writes, "key": key["id"], "ready": READY in page})


def alone(stage: Stage) -> Proof:
    """Two stays are expected, the wire is pulled, and both guests come."""
    desk = _desk(stage)
    desk.take_away()
    for name in (ALONE, GONE):
        _booked(stage, name)
    stage.until(lambda: (desk.status() or {}).get("jobs") == 2 or None)
    stage.until(lambda: (desk.status() or {}).get("arrivals") == len(ROOMS) or None)
    clerk = _clerk(stage)
    begun = NO_CARD in clerk.press("/issue", reservation=ALONE)
    desk.wire.pull()
    pages = {}
    for name in (ALONE, GONE):
        desk.lay_down()
        pages[name] = READY in clerk.press("/issue", reservation=name)
    stage.until(lambda: BANNER in clerk.look() or None)
    states = {name: _states(stage, name) for name in (ALONE, GONE)}
    held = begun and all(pages.values()) and states == {ALONE: ["pending"], GONE: ["pending"]}
    return Proof(held, {"begun_in_touch": begun, "issued_alone": pages, "states_in_the_cloud": states})


def lost(stage: Stage) -> Proof:
    """A guest comes back to the desk, which is still alone: the card is lost."""
    desk, before = _desk(stage), _desk(stage).device.card
    card, clerk = desk.lay_down(), _clerk(stage)
    page = clerk.press("/replace", reservation=ALONE)
    held = READY in page and card.writes > 0 and card is not before
    return Proof(
        held and _states(stage, ALONE) == ["pending"], {"writes": card.writes, "ready": READY in page}
    )


def reconciled(stage: Stage) -> Proof:
    """One stay is cancelled meanwhile; then the wire is put in again."""
    desk, now = _desk(stage), stage.patience.clock.now()
    stage.publish(_stay(stage, GONE).ended("cancelled", now))
    stage.until(lambda: "failed" in _states(stage, GONE) or None)
    writes = desk.device.card.writes
    desk.wire.put_in()
    stage.until(lambda: _key(stage, _stay(stage, ALONE), "active"))
    stage.until(lambda: (desk.status() or {}).get("unsent") == 0 or None)
    found = stage.until(lambda: _key(stage, _stay(stage, GONE), "revoked"))
    kept = stage.document("credentials", found["id"])["credential"]
    in_use = _key(stage, _stay(stage, ALONE), "active") or {}
    replaced = stage.document("credentials", in_use["id"])["credential"]["core"]["replaces"]
    lost_key = stage.document("credentials", replaced)["credential"]["state"] if replaced else {}
    seen = {
        "alone": sorted(_states(stage, ALONE)),
        "lost": lost_key.get("reason"),
        "gone": _states(stage, GONE),
        "reason": kept["state"]["reason"],
        "made_at": kept["core"]["origin"],
        "written_again": desk.device.card.writes != writes,
    }
    held = (seen["reason"], seen["made_at"]) == ("cancellation", "desk") and not seen["written_again"]
    # Two keys: the lost one, which was over before the cloud heard of its card, and the one in its place.
    held = held and seen["alone"] == ["active", "failed"]
    return Proof(held and seen["lost"] == "lost", seen)


def killed(stage: Stage) -> Proof:
    """kill -9 of the agent; the next one knows all that it did, and comes to have nothing left to do."""
    desk = _desk(stage)
    writes = desk.device.card.writes
    status = desk.kill()
    desk.start()
    told = stage.until(lambda: _at_rest(desk))
    stage.counts["kills"] += 1
    held = status == -9 and desk.device.card.writes == writes
    return Proof(held, {"exit": status, "written_again": desk.device.card.writes != writes, **told})


def _desk(stage: Stage) -> FrontDesk:
    if stage.desk is None:
        raise Failed("there is no desk on this stage", "play the whole demo")
    return stage.desk


def _clerk(stage: Stage) -> Clerk:
    desk = _desk(stage)
    clerk = Clerk(desk.folder)
    clerk.sign_in(CLERK, desk.pin)
    clerk.look()
    return clerk


def _in_touch(desk: FrontDesk) -> Json | None:
    told = desk.status()
    return told if told and told["online"] and told["arrivals_good"] and told["encoders"]["left"] else None


def _at_rest(desk: FrontDesk) -> Json | None:
    """Return how a desk stands that is in touch, has nothing to write and nothing to tell."""
    told = _in_touch(desk)
    return told if told is not None and (told["jobs"], told["unsent"]) == (0, 0) else None


def _stay(stage: Stage, name: str) -> Stay:
    return Stay(name, stage.stay.booked, (ROOMS[name],), PROPERTY, "captured")


def _booked(stage: Stage, name: str) -> Stay:
    stay = _stay(stage, name)
    stage.publish(stay.confirmed())
    return stay


def _states(stage: Stage, name: str) -> list[str]:
    return [key["state"] for key in stage.keys_of(_stay(stage, name))]


def _key(stage: Stage, stay: Stay, state: str) -> Json | None:
    return next((key for key in stage.keys_of(stay) if key["state"] == state), None)


FRONT_DESK: Final = Scene(
    "The front desk",
    "Another house of the company has doors that hear of nothing: a card opens them, which its desk writes.",
    (
        Act("paired", "A machine became the house's desk with a code; its key was made on it.", paired),
        Act("card", "A booking became a card: ordered, pulled, written on the encoder, and heard.", card),
        Act(
            "alone",
            "The wire was pulled as a card was begun; the clerk issued two, under a large banner.",
            alone,
        ),
        Act("lost", "One was lost: the desk, still alone, ended it and wrote another in its place.", lost),
        Act(
            "reconciled",
            "Back in touch, the lost key and its replacement are linked, the cancelled one is revoked, "
            "and no card is written again.",
            reconciled,
        ),
        Act("desk_killed", "The agent was killed; the next one knew everything and wrote nothing.", killed),
    ),
)
