"""The guest is told: mail, SMS, a link that is spent once, and the PIN on the page, which opens the door."""

from collections import Counter
from typing import Final

from infra.cli.demo.claim import Proof
from infra.cli.demo.doors import BOOKED
from infra.cli.demo.guest import LAST_DIGITS, Browser
from infra.cli.demo.scene import Act, Scene
from infra.cli.demo.stage import Stage
from infra.cli.demo.stay import ON_THE_DAY
from shared.domain.secret import Secret

TOLD: Final = Counter({"email": 1, "sms": 1})


def told(stage: Stage) -> Proof:
    """One mail and one SMS arrive, in the guest's language."""
    found = stage.until(lambda: _arrived(stage))
    counts = Counter(each["channel"] for each in found)
    languages = sorted({each["language"] for each in found if each["language"]})
    return Proof(counts == TOLD, {"messages": dict(counts), "languages": languages}, f"{dict(counts)}")


def page(stage: Stage) -> Proof:
    """The link is looked at, guessed at, spent, and tried from elsewhere; what it shows is tried too."""
    link, browser = stage.guest.link(), Browser()
    looked = [browser.look(link) for _ in range(2)]
    guessed = Browser().show(link, "0000")
    shown, stolen = browser.show(link, LAST_DIGITS), Browser().show(link, LAST_DIGITS)
    again = browser.show(link)
    nothing = all(pin is None for _, pin in (*looked, guessed, stolen))
    right = shown[1] == again[1] == stage.pin
    with stage.doors.later(ON_THE_DAY):
        opened = stage.doors.tried(BOOKED, shown[1] or Secret("0"))
    seen = {"looked": [status for status, _ in looked], "guessed": guessed[0], "stolen": stolen[0]}
    opens = set(opened.values()) == {"open"}
    return Proof(nothing and right and opens, {**seen, "shown": shown[0], "again": again[0], "doors": opened})


def _arrived(stage: Stage) -> list[dict[str, str]] | None:
    found = [dict(each) for each in stage.guest.messages()]
    return found if len(found) >= TOLD.total() else None


GUEST: Final = Scene(
    "The guest is told",
    "A mail and an SMS in Dari, caught on this machine; the link in the mail leads to the key page.",
    (
        Act("told", "One mail and one SMS, though the booking came a hundred times.", told),
        Act(
            "page",
            "Looking at the link spends nothing, guessing gives nothing; the guest sees the PIN that opens.",
            page,
        ),
    ),
)
