"""Open desktops hear what is new at once, miss nothing of a day when they come back, and leave when told."""

import asyncio
from datetime import UTC, datetime, timedelta

from shared.domain.ids import UserId
from shared.usecases.backoffice.feed import MOST_KEPT, Feed
from shared.usecases.backoffice.listening import Listeners, Stream
from shared.usecases.backoffice.sessions import open_sessions
from shared.vendor_kit.http import Call
from tests.support.backoffice_desk import KABUL, SILK, BackofficeDesk, hear
from tests.support.simulated import play

M = "melmastoon."


class Listening:
    """A desktop's stream: it lasts until it ends, and is read then."""

    def __init__(self, desk, since=None, house=KABUL):
        on, config = desk.on, desk.on.fleet.config
        headers = {
            "authorization": f"Bearer {on.fleet.people.token(desk.badge, config.base_url)}",
            "backoffice-session": desk.secret or "",
            "backoffice-device": desk.device,
        }
        if since is not None:
            headers["last-event-id"] = since
        url = f"{config.base_url}/backoffice-feed/bff/v1/events?property={house}"
        call = Call("GET", url, headers, timeout=2000)
        self._answer = asyncio.ensure_future(on.fleet.means.transport.send(call))

    async def events(self):
        """Return the stream's end: status, and (id, word, data) of each event."""
        answer = await self._answer
        blocks = [dict(line.split(": ", 1) for line in each.splitlines()) for each in self._blocks(answer)]
        return answer.status, [
            (each["id"], each["event"], each["data"]) for each in blocks if "event" in each
        ]

    @staticmethod
    def _blocks(answer):
        text = answer.body.decode()
        return [each for each in text.split("\n\n") if each.startswith("id:")]


def alert(number):
    return {"alertId": f"alt_{number}", "propertyId": KABUL, "severity": "info"}


def test_a_desktop_hears_all_that_is_new_and_resumes_without_gap_or_repetition(tmp_path):
    async def scenario(on):
        desk = BackofficeDesk(on)
        await desk.sign_in()
        await hear(on, f"{M}alert.raised.v1", "evt_0", alert(0))
        await asyncio.sleep(3)
        first, twin = Listening(desk), Listening(desk)
        await asyncio.sleep(1)
        for number in (1, 2, 3):
            await hear(on, f"{M}alert.raised.v1", f"evt_{number}", alert(number))
        await hear(on, f"{M}theme.published.v1", "evt_t", {})
        await asyncio.sleep(16 * 60)
        (status, heard), (_, twins) = await first.events(), await twin.events()
        assert status == 200
        words = sorted(word for _, word, _ in heard)
        assert words == ["alerts.new", "alerts.new", "alerts.new", "bye", "view.stale"]
        assert sorted(twins[:-1]) == sorted(heard[:-1])
        assert len({name for name, _, _ in heard[:-1]}) == 4

        since = heard[1][0]
        await hear(on, f"{M}alert.raised.v1", "evt_4", alert(4))
        await asyncio.sleep(3)
        again = Listening(desk, since)
        await asyncio.sleep(16 * 60)
        _, more = await again.events()
        assert {data for _, _, data in more[:-1]} == {data for _, _, data in heard[2:-1]} | {
            data for _, word, data in more if word == "alerts.new"
        }
        assert len(more) == 4  # what was left of the first, the fourth alert, and bye

    play(tmp_path, scenario)


def test_who_was_away_too_long_is_told_to_look_at_everything_anew(tmp_path):
    async def scenario(on):
        desk = BackofficeDesk(on)
        await desk.sign_in()
        stream = Listening(desk, "0.999.0")
        refused = Listening(desk, "not an id")
        await asyncio.sleep(16 * 60)
        assert [word for _, word, _ in (await stream.events())[1]] == ["resync", "bye"]
        assert (await refused.events())[0] == 400

    play(tmp_path, scenario)


def test_a_session_taken_back_leaves_at_once_and_others_stay(tmp_path):
    async def scenario(on):
        desk, spare = BackofficeDesk(on), BackofficeDesk(on, device="dev_back")
        await desk.sign_in()
        await spare.sign_in()
        leaves, stays = Listening(desk), Listening(spare)
        await asyncio.sleep(1)
        await hear(on, f"{M}iam.session.revoked.v1", "evt_1", {"sessionId": desk.session})
        await asyncio.sleep(3)
        assert leaves._answer.done()
        assert not stays._answer.done()
        assert [word for _, word, _ in (await leaves.events())[1]] == ["forceLogout"]
        gone = Listening(desk)
        await asyncio.sleep(1)
        assert (await gone.events())[0] == 401
        elsewhere = Listening(spare, house="ppt_herat")
        await asyncio.sleep(1)
        assert (await elsewhere.events())[0] == 404
        await spare.ask("DELETE", f"sessions/{spare.session}")
        await asyncio.sleep(90)
        assert [word for _, word, _ in (await stays.events())[1]] == ["forceLogout"]

    play(tmp_path, scenario)


def test_a_feed_keeps_the_last_of_a_day_and_knows_what_it_can_not_say():
    feed, now = Feed(place=KABUL), datetime(2026, 5, 1, tzinfo=UTC)
    for number in range(MOST_KEPT + 10):
        feed = feed.told("alerts.new", f"ali_{number}", now)
    assert len(feed.entries) == MOST_KEPT
    assert feed.after(feed.last, now) == ()
    assert [each.number for each in feed.after(feed.last - 2, now)] == [feed.last - 1, feed.last]
    assert len(feed.after(10, now)) == MOST_KEPT
    assert feed.after(9, now) is None
    assert feed.after(feed.last + 1, now) is None
    later = now + timedelta(hours=25)
    assert feed.after(feed.last - 1, later) is None
    assert feed.after(feed.last, later) == ()


async def listen(stream, into):
    """Keep what one desktop is told."""
    async for said in stream.events(None):
        into.append(said)


def test_two_hundred_desktops_of_two_instances_hear_the_same_by_one_reader_of_each_feed(tmp_path):
    async def scenario(on):
        desk, platform = BackofficeDesk(on), on.fleet.platform
        await desk.sign_in()
        store = platform.documents.tenant(SILK)
        (session,) = await open_sessions(UserId("usr_1"), store)
        instances = [Listeners(platform.documents, platform.nudges, platform.log) for _ in range(2)]
        told = [[] for _ in range(200)]
        ambient = (platform.clock, platform.entropy)
        streams = [Stream(session, KABUL, store, instances[each % 2], *ambient) for each in range(200)]
        pairs = zip(streams, told, strict=True)
        listening = [asyncio.ensure_future(listen(stream, into)) for stream, into in pairs]
        await asyncio.sleep(1)
        assert [len(each._readers) for each in instances] == [3, 3]
        await hear(on, f"{M}alert.raised.v1", "evt_1", alert(1))
        await asyncio.sleep(1)
        assert {tuple(each) for each in told} == {tuple(told[0])}
        assert b"event: alerts.new" in b"".join(told[0])
        for each in listening:
            each.cancel()
        await asyncio.gather(*listening, return_exceptions=True)
        assert [len(each._readers) for each in instances] == [0, 0]

    play(tmp_path, scenario)
