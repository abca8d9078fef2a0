"""Events that nothing handles yet, as an operator meets them: kept, said to be, listed, delivered later."""

import asyncio
import io
from dataclasses import replace

import pytest

from infra.local.ambient import SeededEntropy
from infra.local.fleet import Fleet
from infra.local.simulation.loop import run_virtually
from infra.local.world import FleetConfig, World
from infra.manifest.load import load_manifest
from shared.kernel.log import Log
from tests.support.simulated import Nowhere, Simulated

ARRIVED, SPELLING = "melmastoon.reservation.booking.checked_in.v1", "melmastoon.reservation.checked_in.v1"
LEFT, HANDLER = "melmastoon.reservation.booking.checked_out.v1", "on-booking-checked-out"


async def _publish(on, subject, reservation="rsv_1"):
    body = {"subject": subject, "tenant": "tnt_silk", "data": {"reservationId": reservation}}
    return await on.send("_cloud/publish", body, caller="operator")


async def _asked(on, path):
    _, answer = await on.send(f"_cloud/{path}", caller="operator", method="GET")
    return answer


def without(handler):
    """Return the manifest of an older release, which has not got a function yet."""
    newer = load_manifest()
    return replace(newer, functions={name: each for name, each in newer.functions.items() if name != handler})


async def life(folder, clock, manifest, scenario):
    """Start a fleet of a manifest, do something there, and stop it."""
    world = World(
        clock=clock,
        threaded=False,
        entropy=SeededEntropy(1),
        outside=Nowhere(),
        log=Log("keyfleet", io.StringIO()),
    )
    fleet = Fleet(FleetConfig(folder, sample=True), world, manifest)
    await fleet.start()
    try:
        return await scenario(Simulated(fleet, None))
    finally:
        await fleet.stop()


@pytest.mark.parametrize("subject", [ARRIVED, SPELLING])
def test_what_is_published_before_its_function_exists_is_kept_and_said_to_be(tmp_path, subject):
    async def scenario(on):
        published = await _publish(on, subject)
        await asyncio.sleep(30)
        return (
            published,
            (await _asked(on, f"dead-letters?topic={subject}"))["messages"],
            await _asked(on, "status"),
        )

    older = without("on-booking-checked-in")
    (code, told), letters, status = run_virtually(lambda clock: life(tmp_path, clock, older, scenario))
    assert (code, told["topic"]) == (200, subject)
    assert told["kept_for"].startswith("on-booking-checked-in")
    (letter,) = letters
    assert (letter["reason"], letter["reservation"]) == ("no handler yet", "rsv_1")
    assert "deploy the function on-booking-checked-in" in letter["remedy"]
    assert (status["kept"], status["parked"]) == (1, 0)


def test_a_fleet_that_has_the_function_does_what_an_older_one_only_kept(tmp_path):
    async def older(on):
        for number in range(3):
            await _publish(on, LEFT, f"rsv_{number}")
        return await _asked(on, "status")

    async def later(on):
        await asyncio.sleep(30)
        stays = [(await _asked(on, f"documents/tnt_silk/reservations/rsv_{number}")) for number in range(3)]
        return await _asked(on, "status"), stays

    async def main(clock):
        return [
            await life(tmp_path, clock, without(HANDLER), older),
            await life(tmp_path, clock, load_manifest(), later),
        ]

    before, (after, stays) = run_virtually(main)
    assert (before["kept"], after["kept"], after["parked"], after["backlog"]) == (3, 0, 0, {})
    assert all(stay["document"] is not None for stay in stays)
