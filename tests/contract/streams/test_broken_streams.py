"""The contract can fail: streams that are wrong in one way each fail the guarantee they break."""

from dataclasses import replace

import pytest

from shared.events.outbox import OutboxRow
from shared.ports.bus import Message
from shared.ports.documents import Update
from shared.streams import telling
from shared.usecases.upkeep import sweep_due as sweeper
from tests.contract.failing import failure_of
from tests.contract.streams.setting import Watches, tell_watch
from tests.contract.streams.suite import StreamContract


def tells_the_newest_first(plant):
    publish = telling.publish

    async def backwards(name, sequences, *more):
        await publish(name, reversed(sequences), *more)

    plant(telling, "publish", backwards)


def composes_anew(plant):
    """Publishes something like what is kept."""
    publish = Message

    def message(data, *more):
        return publish(data.replace(b'"id":', b'"id": '), *more)

    plant(telling, "Message", message)


def tells_only_the_last(plant):
    publish = telling.publish

    async def last(name, sequences, *more):
        await publish(name, sequences[-1:], *more)

    plant(telling, "publish", last)


def forgets_to_note(plant):
    plant(telling, "_noted", lambda found: Update(found.ref, dict(found.data), found.version))


def notes_first(plant):
    """Takes what it is about to tell for told."""

    async def told(ref, name, documents, bus):
        found = await documents.get(ref)
        if found is None or found.data["announced"] >= found.data["sequence"]:
            return False
        await documents.commit([telling._noted(found)])
        await telling.publish(
            name, range(found.data["announced"] + 1, found.data["sequence"] + 1), documents, bus
        )
        return True

    plant(telling, "tell", told)


def notes_over_whatever_is_there(plant):
    """Says that all is told, however much has happened since."""
    tell = telling.tell

    async def told(ref, name, documents, bus):
        done = await tell(ref, name, documents, bus)
        found = await documents.get(ref)
        if done:
            await documents.commit([telling._noted(found)])
        return done

    plant(telling, "tell", told)


def passes_over_what_is_missing(plant):
    kept_row, publish = telling.kept_row, telling.publish

    async def those_there(name, sequences, documents, bus, at_hand=()):
        for sequence in sequences:
            try:
                await kept_row(name, sequence, documents)
            except telling.EventMissing:
                continue
            await publish(name, [sequence], documents, bus, at_hand)

    plant(telling, "publish", those_there)


def stops_at_the_first_trouble(plant):
    """Lets one that is broken end the sweep."""

    async def ended(self, lane):
        try:
            return sum([await self.stream.tend(*each, self.documents, self.services) for each in lane])
        except telling.EventMissing:
            raise AssertionError("the sweep ended") from None

    plant(sweeper._Sweep, "_in_turn", ended)


def sweeps_whatever_is_there(plant):
    plant(sweeper, "milliseconds", lambda at: 1 << 50)


def tells_at_once(plant):
    """Publishes with the change, before anybody knows that it is kept."""
    happen = Watches.happen

    async def told(self, name):
        await happen(self, name)
        await tell_watch("tnt_silk", self.stream(name), self.store, self.services)

    plant(Watches, "happen", told)


def gives_each_telling_an_id(plant):
    """Names an event anew whenever it is told."""
    from_document, told = OutboxRow.from_document, []

    def row(data):
        told.append(data)
        read = from_document(data)
        body = read.body.replace(read.event_id[-2:].encode(), b"%02d" % len(told))
        return replace(read, body=body) if len(told) > 1 else read

    plant(OutboxRow, "from_document", staticmethod(row))


BROKEN = {
    tells_at_once: "test_what_happened_stands_in_the_outbox_before_it_is_told",
    tells_the_newest_first: "test_the_sweeper_tells_what_was_kept_byte_for_byte_and_in_order",
    composes_anew: "test_the_sweeper_tells_what_was_kept_byte_for_byte_and_in_order",
    tells_only_the_last: "test_the_sweeper_tells_what_was_kept_byte_for_byte_and_in_order",
    forgets_to_note: "test_what_is_told_is_noted_and_not_told_again",
    notes_first: "test_what_could_not_be_published_stays_owed",
    gives_each_telling_an_id: "test_what_was_told_before_a_crash_is_told_again_under_the_same_id",
    passes_over_what_is_missing: "test_none_is_told_after_one_that_is_missing",
    stops_at_the_first_trouble: "test_one_that_cannot_be_told_does_not_keep_the_others_waiting",
    notes_over_whatever_is_there: "test_what_happens_while_it_is_told_is_told_too",
    sweeps_whatever_is_there: "test_nothing_is_swept_before_its_time",
}


@pytest.mark.parametrize("broken", BROKEN, ids=lambda broken: broken.__name__)
async def test_a_broken_stream_fails_its_guarantee(tmp_path, monkeypatch, broken):
    broken(monkeypatch.setattr)
    monkeypatch.setattr("tests.contract.streams.setting.tell", telling.tell)
    async with Watches(tmp_path) as setting:
        assert await failure_of(getattr(StreamContract(), BROKEN[broken]), setting)


def test_every_guarantee_is_seen_to_fail():
    assert {name for name in vars(StreamContract) if name.startswith("test_")} == set(BROKEN.values())
