"""A desk comes back from being alone: its keys find their place in the ledger, once."""

import asyncio
from contextlib import suppress
from datetime import datetime, timedelta
from types import SimpleNamespace

import pytest

from edge_agent.agent.front import Front
from edge_agent.agent.loop import AgentLoop
from edge_agent.cloud.line import CloudRefused, CloudSilent
from edge_agent.issuing.desk import OfflineRefused
from edge_agent.issuing.rules import OfflineWish
from infra.simulators.key_cards.classic_card import ClassicCard
from shared.domain.ids import ReservationId, RoomId, UserId
from shared.domain.instants import instant_to_text
from shared.domain.kinds import KeyCredentialKind, RevokeReason
from tests.edge.desk.paired_desk import play_desk

CLERK, PIN = "usr_night", "246810"
NOON = "2026-03-01T08:00:00Z"
SHORT, LONG = "2026-03-02T20:00:00Z", "2026-03-09T07:30:00Z"


async def opened(desk):
    """Pair the desk, let a clerk work there, and fetch the papers."""
    assert await desk.order(do="staff", user=CLERK, roles=["night_auditor"], pin=PIN) == {"staff": [CLERK]}
    return await desk.pair()


async def booked(house, desk, event="evt_1", until=SHORT, **data):
    """Book room 204 for a guest who is there, and fetch the arrivals."""
    stay = {"rooms": ["rmu_204"], "preferredKinds": ["rfid_card"], "paymentStatus": "captured"}
    await house.publish(event, **{**stay, "validFrom": NOON, "validUntil": until, **data})
    await asyncio.sleep(5)
    await desk.agent.papers.fetch_arrivals()


async def made_alone(desk, once="press-1", plastic=None, reservation="rsv_1", **more):
    """Make a key with the wire pulled, and return it with its card."""
    desk.wire.down = True
    assert await desk.agent.reach.offline()
    plastic = desk.lay_down(plastic)
    standing = await desk.agent.papers.standing()
    wish = OfflineWish(
        once=once,
        reservation=ReservationId(reservation),
        rooms=(RoomId("rmu_204"),),
        kind=KeyCredentialKind.RFID_CARD,
        clerk=UserId(CLERK),
        **more,
    )
    key = await desk.agent.offline.issue(wish, standing, desk.agent.card_maker("left", standing.pack))
    return key, plastic


async def pushed(desk):
    """Put the plug in again, and push the outbox."""
    desk.wire.down = False
    return await desk.agent.outbox.push((await desk.agent.papers.standing()).certificate)


async def ledger_id(desk, key):
    """Return the cloud's id of a key."""
    return await desk.agent.parts.ledger.run(lambda it: it.server_id(str(key.id)))


async def found(house, key_id):
    """Return a key of the ledger."""
    return next(each for each in await house.keys() if each["core"]["id"] == key_id)


async def failed(house, desk):
    """Pull no jobs, until the stay's own key has failed: the encoder is offline, again and again."""
    while [each["state"]["type"] for each in await house.keys()] != ["failed"]:  # noqa: ASYNC110 - virtual time, and nobody to tell us
        await asyncio.sleep(1)
    await desk.agent.papers.fetch_arrivals()


async def residues(house, key_id):
    """Return the state of a key's every grant."""
    grants = (await house.documents("grants")).values()
    return [each["grant"]["state"]["type"] for each in grants if each["credential_id"] == key_id]


def test_a_key_whose_own_waits_for_the_desk_is_that_key_and_no_second_card_is_written(tmp_path):
    async def scenario(house, desk):
        await opened(desk)
        await desk.agent.post.pull()
        await booked(house, desk)
        for _ in range(3):
            await asyncio.sleep(5)
            await desk.agent.post.pull()
        key, plastic = await made_alone(desk)
        writes = plastic.writes
        assert await pushed(desk) == 1
        assert await pushed(desk) == 0
        server = await ledger_id(desk, key)
        assert [each["core"]["id"] for each in await house.keys()] == [server]

        assert await desk.agent.post.pull() == []
        await asyncio.sleep(5)
        assert (await found(house, server))["state"]["type"] == "active"
        assert plastic.writes == writes
        (row,) = (await house.documents("desk_rows")).values()
        assert (row["outcome"], "vendorRef" in row["body"]) == ("reconciled", False)
        assert await desk.agent.parts.ledger.run(lambda it: it.unsent()) == []

    play_desk(tmp_path, scenario)


def test_a_key_for_a_stay_whose_own_failed_is_the_stays_key_and_is_told_as_issued(tmp_path):
    async def scenario(house, desk):
        await opened(desk)
        await booked(house, desk)
        await failed(house, desk)
        key, plastic = await made_alone(desk)
        desk.wire.lose = {"/sync/v1/push"}
        with pytest.raises(CloudSilent):
            await pushed(desk)
        assert await pushed(desk) == 1
        await asyncio.sleep(30)
        server = await ledger_id(desk, key)
        kept = await found(house, server)
        assert (kept["state"]["type"], kept["core"]["origin"], kept["core"]["local_id"]) == (
            "active",
            "desk",
            str(key.id),
        )
        (stay,) = (await house.documents("reservations")).values()
        assert stay["credentials"] == [server]
        assert (await house.told(server)) == ["requested", "pending", "issued"]
        assert (await desk.door()).present(plastic, desk.clock.now()) == "opens"

        await house.publish("evt_2", "checked_out", version=3, time="2026-03-01T12:00:00Z")
        await asyncio.sleep(60)
        assert (await found(house, server))["state"]["type"] == "revoked"
        assert await residues(house, server) == ["residual"]

    play_desk(tmp_path, scenario)


def test_a_stay_that_was_cancelled_meanwhile_has_its_desk_key_revoked_and_told_as_exposure(tmp_path):
    async def scenario(house, desk):
        await opened(desk)
        await booked(house, desk)
        key, _ = await made_alone(desk)
        await house.publish("evt_2", "cancelled", version=2, time="2026-03-01T12:00:00Z")
        await asyncio.sleep(5)
        assert await pushed(desk) == 2  # its own end here is a row as well
        await asyncio.sleep(60)
        server = await ledger_id(desk, key)
        kept = await found(house, server)
        assert (kept["state"]["type"], kept["state"]["reason"]) == ("revoked", "cancellation")
        assert kept["core"]["local_id"] == str(key.id)
        assert await residues(house, server) == ["residual"]
        local = await desk.agent.parts.ledger.run(lambda it: it.key(str(key.id)))
        assert type(local.state).__name__ == "Revoked"

    play_desk(tmp_path, scenario)


def test_a_stay_beyond_two_days_is_extended_by_another_card_that_ends_the_first(tmp_path):
    async def scenario(house, desk):
        await opened(desk)
        await booked(house, desk, until=LONG)
        await failed(house, desk)
        key, plastic = await made_alone(desk)
        assert key.core.window.duration == timedelta(hours=48)
        assert await pushed(desk) == 1
        row = None
        for _ in range(12):
            await asyncio.sleep(10)
            rows = await desk.agent.post.pull()
            row = rows[0] if rows else row
        assert row is not None
        again = desk.lay_down(ClassicCard(bytes.fromhex("0badcafe")))
        await desk.agent.writer("left").write(row.id)
        await asyncio.sleep(30)
        kept = await found(house, await ledger_id(desk, key))
        assert kept["core"]["window"]["end"] == LONG
        door, last = await desk.door(), datetime.fromisoformat("2026-03-08T20:00:00Z")
        assert [door.present(each, last) for each in (plastic, again)] == ["too_late", "opens"]
        assert door.present(plastic, desk.clock.now()) == "superseded"

    play_desk(tmp_path, scenario)


def test_a_guest_who_stays_longer_lays_their_card_down_and_it_is_written_anew(tmp_path):
    async def scenario(house, desk):
        await opened(desk)
        await booked(house, desk, until=LONG)
        await failed(house, desk)
        _, plastic = await made_alone(desk)
        assert await pushed(desk) == 1
        front, rows = Front(desk.agent, AgentLoop(desk.agent, desk.entropy)), []
        while not rows:
            await asyncio.sleep(10)
            rows = await desk.agent.post.pull()
        desk.agent.reach.heard()
        did = await front.issue(CLERK, "rsv_1", "press-2")
        assert instant_to_text(did.until) == LONG
        door, last = await desk.door(), datetime.fromisoformat("2026-03-08T20:00:00Z")
        assert door.present(plastic, last) == "opens"
        writes = plastic.writes
        assert (await front.issue(CLERK, "rsv_1", "press-3")).until == did.until
        assert plastic.writes == writes

    play_desk(tmp_path, scenario)


def test_a_lost_card_is_replaced_alone_and_both_are_linked_afterwards(tmp_path):
    async def scenario(house, desk):
        await opened(desk)
        await booked(house, desk)
        await failed(house, desk)
        first, lost = await made_alone(desk)
        standing = await desk.agent.papers.standing()
        await asyncio.sleep(30)
        await desk.agent.offline.revoke(str(first.id), RevokeReason.LOST, standing.certificate, None)
        second, plastic = await made_alone(
            desk, "press-2", ClassicCard(bytes.fromhex("0badcafe")), replaces=first.id
        )
        assert await pushed(desk) == 3
        await asyncio.sleep(60)
        old, new = [await found(house, await ledger_id(desk, each)) for each in (first, second)]
        assert (old["state"]["type"], old["state"]["reason"]) == ("revoked", "lost")
        assert (new["state"]["type"], new["core"]["role"], new["core"]["replaces"]) == (
            "active",
            "replacement",
            old["core"]["id"],
        )
        door, now = await desk.door(), desk.clock.now()
        assert [door.present(each, now) for each in (plastic, lost)] == ["opens", "superseded"]

    play_desk(tmp_path, scenario)


def test_a_desk_whose_clock_is_ahead_makes_no_key_once_it_knows_and_what_it_made_before_is_heard_as_of_now(
    tmp_path,
):
    async def scenario(house, desk):
        await opened(desk)
        await booked(house, desk)
        await failed(house, desk)
        true, hours = desk.clock, 3
        desk.clock = SimpleNamespace(now=lambda: true.now() + timedelta(hours=hours))
        desk.wire.down = True
        await desk.die()
        key, _ = await made_alone(desk)
        assert await pushed(desk) == 1
        server = await ledger_id(desk, key)
        kept = await found(house, server)
        assert (kept["state"]["type"], kept["changed_at"] <= instant_to_text(true.now())) == ("active", True)
        assert any("clock is ahead" in each["message"] for each in house.logged("ALERT"))
        with pytest.raises(OfflineRefused, match="clock_untrue"):
            await made_alone(desk, "press-2")
        desk.wire.down = False

        other = type(desk)(house, tmp_path / "other", entropy=8)
        other.clock = true
        await other.pair()
        pack = await other.agent.papers.fetch_arrivals()
        assert pack.newest_card == await desk.agent.parts.ledger.run(lambda it: it.card_of(str(key.id)))
        assert pack.newest_card > true.now().timestamp() * 1000
        await other.agent.parts.ledger.close()

    play_desk(tmp_path, scenario)


def test_a_row_that_breaks_the_desks_bounds_is_refused_once_and_the_rows_after_it_are_heard(tmp_path):
    async def scenario(house, desk):
        await opened(desk)
        await booked(house, desk)
        key, _ = await made_alone(desk)
        with pytest.raises(OfflineRefused, match="live_key"):
            await made_alone(desk, "press-2")
        device, kinds = desk.agent.identity.device, ["pin_code"]
        await house.change("desks", device, lambda data: {**data, "kinds": kinds})
        desk.wire.lose = {"/sync/v1/push"}
        with pytest.raises(CloudSilent):
            await pushed(desk)
        assert await pushed(desk) == 3  # its own end here is a row as well
        rows = (await house.documents("desk_rows")).values()
        assert [row["outcome"] for row in rows] == ["refused: kind", "noted", "unknown_key"]
        told = [each for each in house.logged("ALERT") if "not to be believed" in each["message"]]
        assert len(told) == 1
        local = await desk.agent.parts.ledger.run(lambda it: it.key(str(key.id)))
        assert type(local.state).__name__ == "Revoked"

    play_desk(tmp_path, scenario)


def test_a_card_is_noted_by_the_number_that_stands_on_it_whatever_another_desk_made_meanwhile(tmp_path):
    async def scenario(house, desk):
        await opened(desk)
        await desk.agent.post.pull()
        await booked(house, desk)
        for _ in range(3):
            await asyncio.sleep(5)
            await desk.agent.post.pull()
        (row,) = await desk.agent.post.pull()
        other = type(desk)(house, tmp_path / "other", entropy=8)
        await other.pair()
        await other.agent.papers.fetch_arrivals()
        await made_alone(other)
        assert await pushed(other) == 1
        desk.lay_down(ClassicCard(bytes.fromhex("0badcafe")))
        await desk.agent.writer("left").write(row.id)
        cards = (await house.documents("desk_cards")).values()
        assert {card["job"]: card["number"] for card in cards} == {row.id: row.document["number"]}
        await other.agent.parts.ledger.close()

    play_desk(tmp_path, scenario)


def test_an_agent_that_dies_around_any_step_of_a_push_tells_one_key_once(tmp_path):
    async def scenario(house, desk):
        await opened(desk)
        await booked(house, desk)
        await failed(house, desk)
        key, plastic = await made_alone(desk)
        writes = plastic.writes
        for step in range(1, 6):
            for before in (True, False):
                dying(desk.agent.parts.ledger, step, before)
                with suppress(SystemExit):
                    await pushed(desk)
                await desk.die()
        await pushed(desk)
        await asyncio.sleep(30)
        kept = await found(house, await ledger_id(desk, key))
        assert (kept["state"]["type"], kept["core"]["local_id"]) == ("active", str(key.id))
        (stay,) = (await house.documents("reservations")).values()
        assert stay["credentials"] == [kept["core"]["id"]]
        assert len(await house.documents("desk_rows")) == 1
        assert await desk.agent.parts.ledger.run(lambda it: (it.unsent(), bool(it.verify()))) == ([], True)
        assert plastic.writes == writes

    play_desk(tmp_path, scenario)


def dying(ledger, step, before):
    """Let the process end before or after one of its steps with the ledger."""
    run, left = ledger.run, [step]

    async def dies(work):
        left[0] -= 1
        if left[0] == 0 and before:
            raise SystemExit
        result = await run(work)
        if left[0] == 0:
            raise SystemExit
        return result

    ledger.run = dies


def test_what_a_desk_was_not_allowed_is_refused_there_told_here_and_altered_rows_raise_an_alarm(tmp_path):
    async def scenario(house, desk):
        await opened(desk)
        await booked(house, desk, paymentStatus="pending")
        with pytest.raises(OfflineRefused, match="not_paid"):
            await made_alone(desk)
        assert await pushed(desk) == 1
        (row,) = (await house.documents("desk_rows")).values()
        assert (row["outcome"], '"reason":"not_paid"' in row["body"]) == ("noted", True)

        with pytest.raises(OfflineRefused, match="not_paid"):
            await made_alone(desk, "press-2")
        await desk.agent.parts.ledger.run(
            lambda it: it._db.execute(
                "UPDATE outbox SET body = CAST(replace(body, 'not_paid', 'was_paid') AS BLOB)"
            )
        )
        with pytest.raises(CloudRefused, match="row_chain"):
            await pushed(desk)
        assert any("not to be believed" in each["message"] for each in house.logged("ALERT"))
        assert len(await house.documents("desk_rows")) == 1

    play_desk(tmp_path, scenario)
