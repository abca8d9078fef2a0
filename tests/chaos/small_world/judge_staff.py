"""The verdict on staff, and on a hotel that closed: who may open what, and what was told of it."""

from collections import Counter
from collections.abc import Iterator

from shared.domain.core import Guest, Staff
from shared.domain.master_key import MasterKeyState
from shared.domain.states import Failed, Revoked
from shared.ledger.bulk_job import job_from
from shared.ledger.master_key_record import master_key_from
from shared.ports.documents import Document, Ref
from tests.chaos.small_world.bus import event_of
from tests.chaos.small_world.scene import Scene
from tests.chaos.small_world.staff import opened

MASTER_KEY = "melmastoon.lock.master_key."


def is_a_guests(key) -> bool:
    """Say whether a guest holds it."""
    return isinstance(key.credential.core.holder, Guest)


def about_staff(scene: Scene, keys) -> Iterator[str]:
    """Whoever is on duty opens what their shift is for, and nobody else opens anything."""
    records = [_record(id_, row) for id_, row in scene.rows("master_keys").items()]
    for shift in scene.household.shifts:
        own = [key for key in keys if _holder_is(key, shift.staff)]
        living = [key for key in own if not isinstance(key.state, Failed | Revoked)]
        if scene.closed or shift.over:
            yield from (f"{key.id} of {shift.staff} lives, and the shift is over" for key in living)
            yield from (f"{each.id} is not over" for each in records if not each.master_key.over)
        else:
            yield from _about_duty(shift, living, own, records, scene)
    for record in records:
        yield from _about_words(record, scene)


def _record(id_, row):
    return master_key_from(Document(Ref("master_keys", id_), row, "1"))


def _holder_is(key, person):
    holder = key.credential.core.holder
    return isinstance(holder, Staff) and str(holder.user_id) == person


def _about_duty(shift, living, own, records, scene):
    if len([each for each in records if not each.master_key.over]) != 1:
        yield f"{shift.staff} is on duty with {len(records)} master keys"
    wanted = {door for door, rooms in scene.doors_of.items() if rooms & shift.rooms}
    given_up = any(isinstance(key.state, Failed) for key in own) and not living
    if opened(living) != wanted and not (given_up and any(each.due for each in records)):
        by = [str(key.id) for key in living]
        yield f"{shift.staff} opens {sorted(opened(living))} by {by}, and is to open {sorted(wanted)}"


def _about_words(record, scene):
    """What was told of a master key: that it was issued once, and that it expired once."""
    log = (event_of(kept) | {"topic": kept.topic} for kept in scene.log if kept.topic.startswith(MASTER_KEY))
    mine = {each["id"]: each["topic"] for each in log if each["data"]["masterKeyId"] == str(record.id)}
    told = Counter(topic.removeprefix(MASTER_KEY) for topic in mine.values())
    if told["issued.v1"] > 1 or told["expired.v1"] > 1:
        yield f"of {record.id} was told {dict(told)}"
    if told["expired.v1"] != int(record.master_key.over and bool(record.master_key.credentials)):
        yield f"{record.id} is {record.master_key.state}, and was told to be over: {told['expired.v1']} times"
    if record.master_key.state is MasterKeyState.LIVE and not told["issued.v1"]:
        yield f"{record.id} lives, and nobody was told"


def about_closing(scene: Scene, keys) -> Iterator[str]:
    """Of a hotel that closed no key lives, and its job says so."""
    for key in keys:
        if not isinstance(key.state, Failed | Revoked):
            yield f"{key.id} is {type(key.state).__name__}, and the hotel is closed"
    rows = scene.rows("bulk_jobs").items()
    stages = [job_from(Document(Ref("bulk_jobs", id_), row, "1")).stage for id_, row in rows]
    if stages != ["done"]:
        yield f"the hotel closed, and its jobs are {stages}"
