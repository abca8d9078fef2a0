"""What a fleet does by the way: it watches its files, folds its log in, and lets go of what is over."""

import asyncio
import contextlib
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final

import orjson

from infra.local.storage.database import Loss
from infra.local.storage.presence import Presence
from infra.local.storage.private import create_private
from infra.local.world import FleetConfig, World
from shared.events.backoffice.catalogue import DLQ_DEPTH_ALERT, Group
from shared.ledger.comparison import Occasion
from shared.ports.documents import StorageFull

if TYPE_CHECKING:
    from infra.local.fleet import Fleet

WATCH_SECONDS: Final = 1.0
FOLD_EVERY: Final = timedelta(minutes=1)
"""For no longer can be read from the log what was deleted: a PIN, a name, a token."""
TIDY_EVERY: Final = timedelta(hours=1)
KEPT_FOR: Final = timedelta(days=90)
"""How long executions that ended and tasks that failed can be looked at."""
LOOK_EVERY: Final = timedelta(minutes=5)
"""On Google Cloud a signal of the plan looks at the same (infra/manifest/plan/watching.py)."""
SET_ASIDE_FOR: Final = timedelta(days=30)
"""How long a message waits for a person: it holds a guest's name, sealed, and its stay is over by then."""
MOST_SET_ASIDE: Final = 10_000
ALARMING: Final = 8_000
LOSSES: Final = "accepted-losses.jsonl"


async def watch(fleet: "Fleet") -> None:
    """Look each second whether the fleet's files are what was opened; else acknowledge nothing more.

    The database is looked at with each commit as well: what is acknowledged is in the file of that name.
    """
    config, engine = fleet.config, fleet.means.engine
    files = Presence(
        [config.home, config.identity_key, config.people_key, config.database.with_suffix(".mark")]
    )
    gone = None
    while gone is None:
        await asyncio.sleep(WATCH_SECONDS)
        gone = engine.lost or files.missing() or _key_gone(fleet)
    engine.lose(gone)
    fleet.world.log.alert("a file of the fleet is gone", runbook="lock/files-gone", what=Path(gone).name)


def tell_loss(config: FleetConfig, world: World, loss: Loss) -> None:
    """Say what was lost, and keep saying it until somebody has reconciled and removed the note."""
    at = world.clock.now().isoformat(timespec="seconds")
    world.log.warning("a loss was accepted", finding=loss.finding, kept_as=loss.kept_as)
    notes = config.home / LOSSES
    create_private(notes)
    with notes.open("ab") as file:
        file.write(orjson.dumps({"at": at, "finding": loss.finding, "kept_as": loss.kept_as}) + b"\n")


async def fold(fleet: "Fleet") -> None:
    """Leave nothing in the log that was deleted from the database."""
    while True:
        await asyncio.sleep(FOLD_EVERY.total_seconds())
        with contextlib.suppress(StorageFull):
            await fleet.means.engine.fold()


async def tidy(fleet: "Fleet") -> None:
    """Let go of what is over."""
    while True:
        await asyncio.sleep(TIDY_EVERY.total_seconds())
        try:
            await _let_go(fleet)
        except StorageFull as full:
            fleet.world.log.warning("could not tidy up", reason=str(full))


async def look_at_telemetry(fleet: "Fleet") -> None:
    """Call somebody when dead letters of telemetry pile up: once, until there are fewer (C §18)."""
    called: set[Group] = set()
    while True:
        await asyncio.sleep(LOOK_EVERY.total_seconds())
        letters = fleet.bus.dead_letters
        depths = {group: letters.count(topic=group.dead_letters) for group in Group}
        deep = {group for group, depth in depths.items() if depth >= DLQ_DEPTH_ALERT}
        for group in sorted(deep - called):
            fleet.world.log.alert(
                "telemetry's dead letters pile up",
                runbook="cloud/telemetry-dead-letters",
                group=group.value,
                depth=depths[group],
            )
        called = deep


async def _let_go(fleet: "Fleet") -> None:
    now = fleet.world.clock.now()
    await fleet.documents.purge()
    await fleet.sealed.purge()
    await fleet.journal.purge(now - KEPT_FOR)
    await fleet.tasks.purge(now - KEPT_FOR)
    for purpose, versions in (await fleet.rekeying.renew_monthly()).items():
        fleet.world.log.info("old keys are destroyed", purpose=purpose, versions=versions)
    letters = fleet.bus.dead_letters
    count = letters.count()
    expired = await letters.expire(now - SET_ASIDE_FOR, MOST_SET_ASIDE)
    if expired or count > ALARMING:
        fleet.world.log.alert(
            "messages that were set aside are let go",
            runbook="lock/dead-letters",
            waiting=count,
            gone=expired,
        )


async def compare_if_owed(fleet: "Fleet") -> None:
    """Have locks compared with a ledger that is older than they are, or doors that are younger."""
    witness, config = fleet.witness, fleet.config
    if config.doors_anew:
        witness.owe(Occasion.EMPTIED)
    witness.opened()
    if witness.owed is not None:
        from shared.runtime.keys import services_of
        from shared.usecases.reconcile.begin_comparison import BeginComparison, begin_comparisons

        why, services = BeginComparison(witness.owed), services_of(fleet.platform)
        begun = await begin_comparisons(why, fleet.documents, config.cell, services)
        at, failed = len(begun.comparisons), len(begun.failed)
        fleet.world.log.warning(
            "locks are compared with the ledger", because=why.occasion, at=at, failed=failed
        )
        if not begun.failed:
            # Else the next start asks again: by night, what vanished would be placed without a word.
            witness.paid()


def _key_gone(fleet: "Fleet") -> str | None:
    return None if fleet.cipher.keys_are_there() else str(fleet.config.master_key)
