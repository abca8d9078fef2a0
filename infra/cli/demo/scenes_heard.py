"""The doors tell who was there: each attempt once, by which key, and never with what was typed."""

from typing import Any, Final

from infra.cli.demo.claim import Proof
from infra.cli.demo.doors import BOOKED
from infra.cli.demo.scene import Act, Scene
from infra.cli.demo.stage import Stage
from infra.cli.demo.stay import TENANT

HEAR: Final = "hear-doors"
USED: Final = "used"


def heard(stage: Stage) -> Proof:
    """Have all doors asked who tried them, as each night does, and once more: nothing is told twice."""
    key = _key(stage)
    opened = stage.until(lambda: _opened(stage, key))
    _ask(stage)
    again = _opened(stage, key)
    doors = sorted(each["label"] for each in opened)
    refused = [each for each in _attempts(stage) if not each["opened"]]
    held = doors == sorted(BOOKED) and again == opened and bool(refused)
    detail = f"opened: {', '.join(doors)}; refused: {len(refused)} attempts"
    return Proof(held, {"opened": doors, "refused": sorted({each["refused"] for each in refused})}, detail)


def used(stage: Stage) -> Proof:
    """The key itself shows at which doors it was used."""
    grants = stage.until(lambda: _used(stage))
    detail = ", ".join(f"{grant['label']} {grant['detail']}" for grant in grants)
    return Proof(True, {"grants": {grant["label"]: grant["detail"] for grant in grants}}, detail)


def _key(stage: Stage) -> str:
    (key,) = stage.keys_of(stage.stay)
    _ask(stage)
    return str(key["id"])


def _ask(stage: Stage) -> None:
    from infra.local.sample.load import sample_vendor

    stage.control.call(
        HEAR, {"tenant": TENANT, "property": "ppt_kabul", "vendor": sample_vendor(), "poll": True}
    )


def _attempts(stage: Stage) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = stage.control.get("attempts", tenant=TENANT)["attempts"]
    return found


def _opened(stage: Stage, key: str) -> list[dict[str, Any]] | None:
    opened = [each for each in _attempts(stage) if each["opened"] and each["key"] == key]
    return opened if len(opened) >= len(BOOKED) else None


def _used(stage: Stage) -> list[Any] | None:
    (key,) = stage.keys_of(stage.stay)
    return key["grants"] if all(grant["detail"] == USED for grant in key["grants"]) else None


HEARD: Final = Scene(
    "What the doors tell",
    "The vendor is asked who tried its doors, twice, as if a night were repeated.",
    (
        Act("heard", "Each door that opened says so once, and by which key; each refusal says why.", heard),
        Act("used", "The key stands as used at each of its doors.", used),
    ),
)
