"""The verdict on a schedule: ledger, locks and event log must tell one story, and the right one."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import datetime

import orjson

from shared.domain.grant_lifecycle import Intended, Placed, RemovalProof, Removed, Residual, Resting
from shared.domain.kinds import RevokeReason
from shared.domain.plan import MAX_ATTEMPTS
from shared.domain.states import Active, Failed, Requested, Revoked, Suspended
from shared.ports.secret_sources import SOURCES, SecretSource
from shared.runtime.platform import QUARANTINE_TOPIC
from tests.chaos.small_world.bus import event_of
from tests.chaos.small_world.judge_staff import about_closing, about_staff, is_a_guests
from tests.chaos.small_world.judge_turns import about_times, claims_of, is_of_the_turn
from tests.chaos.small_world.scene import Scene, keys_of
from tests.chaos.small_world.stays import GUEST

EVENTS = "melmastoon.lock.credential."
LAST_WORDS = {
    Active: {"issued", "updated", "unsuspended"},
    Suspended: {"suspended"},
    Failed: {"failed"},
    Revoked: {"revoked", "revoke_settled"},
}
"""The events a key may have ended with, by the state it is in."""
ALONE = r"(?<![0-9A-Za-z.]){}(?![0-9A-Za-z])"


def judge(scene: Scene) -> list[str]:
    """Return what is wrong."""
    keys = keys_of(scene)
    found = [
        *_about_deliveries(scene),
        *_about_secrets(scene),
        *_about_doors(scene, keys),
        *_about_log(scene, keys),
    ]
    found += [*about_staff(scene, keys), *(about_closing(scene, keys) if scene.closed else ())]
    for stay in () if scene.closed else scene.stays:
        found += [f"{stay.id}: {problem}" for problem in _about_stay(stay, scene, keys)]
    for key in keys:
        problems = (*_about_story(key), *_about_grants(key, scene), *_about_leftovers(key, scene))
        found += [f"{key.id} ({type(key.state).__name__}): {problem}" for problem in problems]
    return found


def _about_deliveries(scene) -> Iterator[str]:
    for kept in scene.given_up:
        yield f"message {kept.number} of {kept.topic} was never acknowledged"
    for kept in scene.log:
        if kept.topic == QUARANTINE_TOPIC and not scene.closed:  # a closed hotel takes no bookings
            yield f"quarantined: {dict(kept.message.attributes)}"
    for execution in scene.endless:
        yield f"execution {execution} never came to an end"
    worked = Counter(
        (key, generation) for key, generation, outcome in scene.verdicts if outcome != "superseded"
    )
    for (key, generation), times in worked.items():
        if times > 1:
            yield f"{times} executions of generation {generation} worked on {key}"


def _about_stay(stay, scene, keys) -> Iterator[str]:
    """No booking is lost, and none that is over has a key."""
    record = scene.rows("reservations").get(stay.id)
    if record is None:
        yield "no record of it"
    else:
        yield from _about_record(stay, record)
        yield from _about_its_keys(stay, record, scene, keys)


def _about_record(stay, record):
    if (record["status"] == "confirmed") != stay.truth.confirms:
        yield f"it is {record['status']}, but the last word was {stay.truth.subject}"
    heard = Counter(each["event_id"] for each in record["heard"])
    if set(heard) != {told.event_id for told in stay.events} or max(heard.values()) > 1:
        yield f"of its events it remembers {dict(heard)}"


def _about_its_keys(stay, record, scene, keys):
    own = [key for key in keys if is_a_guests(key) and key.credential.core.holder.reservation_id == stay.id]
    named = [key for key in keys if key.id in record["credentials"]]
    if len(named) != len(record["credentials"]):
        yield "its record names keys that are not in the ledger"
    strange = [key for key in named if key not in own and not is_of_the_turn(key, stay)]
    if stay.truth.confirms:
        yield from (f"it names {key.id}, which is another stay's" for key in strange)
    current = [key for key in named if record["claim"] in claims_of(key)]
    # Of those that failed and were let go, or were lost, others were requested in their place.
    alike = Counter(key.credential.core.claim for key in own if not (key.let_go or key.lost or key.refused))
    if max(alike.values(), default=1) > 1:
        yield "one claim made several keys, and its locks are all of one vendor"
    for key in own:
        yield from _about_need(stay, key, scene, wanted=stay.truth.confirms and key in named)
    if stay.truth.confirms:
        yield from _about_current(stay, current, scene)
        yield from _about_kept(stay, [key for key in own if key in named and key not in current])
    elif own and _ended_first(stay, scene):
        yield "it was over before it was confirmed, and still got a key"


def _about_current(stay, current, scene):
    rooms = Counter(room for key in current for room in key.credential.core.rooms)
    if rooms != Counter(stay.rooms):
        yield f"its keys are for {dict(rooms)}, not for {stay.rooms}"
    for key in current:
        core = key.credential.core
        if core.holder.guest_id != stay.guest:
            yield f"{key.id} is for {core.holder.guest_id}, not for {stay.guest}"
        yield from about_times(stay, key, turned="turn" in scene.rows("reservations")[stay.id])
        if isinstance(key.state, Failed):
            yield from _about_failure(key, scene)
        elif not isinstance(key.state, Suspended if stay.rests else Active):
            held = "held" if stay.rests else "confirmed"
            yield f"{key.id} is {type(key.state).__name__} although the stay is {held}"


def _about_kept(stay, kept):
    """What a guest kept of the stay as it was opens nothing that is not in the stay as it is."""
    for key in kept:
        if not stay.includes(key.credential.core):
            yield f"{key.id} was kept, and opens more than the stay includes"
        if not isinstance(key.state, Suspended if stay.rests else Active):
            yield f"{key.id} was kept, and is {type(key.state).__name__}"


def _about_need(stay, key, scene, *, wanted):
    """A key that is not wanted is over, and nobody is to make it; one is not over for nothing."""
    if not wanted and not isinstance(key.state, Failed | Revoked):
        yield f"{key.id} is {type(key.state).__name__} although it is over"
    if not wanted and key.id in scene.rows("manual_tasks"):
        yield f"{key.id} is over, and somebody is still to make it by hand"
    replaced = isinstance(key.state, Revoked) and key.state.reason is RevokeReason.REPLACED
    if key.refused and not _pin_refused(key, scene):
        yield f"{key.id} was replaced, and no lock refused its PIN"
    if (
        replaced
        and not key.refused
        and all(told.stay.includes(key.credential.core) for told in stay.events if told.confirms)
    ):
        yield f"{key.id} was taken away, and all that was ever told of the stay includes it"


def _pin_refused(key, scene):
    own = (row for row in scene.rows("grants").values() if row["credential_id"] == str(key.id))
    return any(call["answer"] == "pin_taken" for row in own for call in row["calls"])


def _about_failure(key, scene):
    plan = key.credential.core.plan
    if plan.attempts < MAX_ATTEMPTS and plan.position + 1 < len(plan.choices):
        yield f"{key.id} failed with {key.state.reason} after {plan.attempts} of {MAX_ATTEMPTS} attempts"
    if key.id not in scene.rows("manual_tasks"):
        yield f"{key.id} failed for good and nobody was asked to make a key by hand"


def _ended_first(stay, scene):
    """Whether we acknowledged the end of the stay before anybody told us of its beginning."""
    ours = [(kept, event_of(kept)) for kept in scene.log if kept.message.ordering_key == stay.id]
    ends = [scene.acked.get(kept.number, 1e9) for kept, event in ours if event["id"] == stay.truth.event_id]
    begins = [scene.pushed.get(kept.number, 1e9) for kept, event in ours if ".confirmed." in event["subject"]]
    return min(ends, default=1e9) < min(begins, default=1e9)


def _about_story(key) -> Iterator[str]:
    """The outbox of a key has no gap, says what its state says, and says `issued` once."""
    sequences = [row["sequence"] for row in key.told]
    if sequences != list(range(1, key.credential.sequence + 1)):
        yield f"its outbox has {sequences}, its sequence is {key.credential.sequence}"
    names = [row["subject"].removeprefix(EVENTS).removesuffix(".v1") for row in key.told]
    if not names or names[0] != "requested" or names[-1] not in LAST_WORDS.get(type(key.state), ()):
        yield f"its state does not agree with its events {names}"
    times = [datetime.fromisoformat(row["audit"]["time"]) for row in key.told]
    if times != sorted(times):
        yield f"its events go back in time: {times}"
    if names.count("issued") > 1:
        yield f"it was issued more than once: {names}"
    if isinstance(key.state, Revoked) and key.grants and names[-1] != "revoke_settled":
        yield f"nobody was told what its locks said: {names}"
    if key.entry["announced"] != key.credential.sequence:
        yield f"only {key.entry['announced']} of {key.credential.sequence} events are known to be published"


def _about_log(scene, keys) -> Iterator[str]:
    """What was published is what is in the outbox: all of it, nothing else, first told in order."""
    rows = {row["eventId"]: row for key in keys for row in key.told}
    first = defaultdict(list)
    for id_, kept in _told(scene):
        row = rows.get(id_)
        if row is None or not _alike(row, kept):
            yield f"{kept.topic} {id_} was published, but the outbox has nothing like it"
        else:
            first[row["aggregateId"]].append(row["sequence"])
    for key in keys:
        sequences = list(dict.fromkeys(first[key.id]))
        if sequences != [row["sequence"] for row in key.told]:
            yield f"the events of {key.id} were first published as {sequences} of {len(key.told)}"


def _told(scene):
    return ((event_of(kept)["id"], kept) for kept in scene.log if kept.topic.startswith(EVENTS))


def _alike(row, kept):
    message = kept.message
    attributes = {"sequence": str(row["sequence"]), "subject": row["subject"], "tenantId": row["tenantId"]}
    same = (row["body"].encode(), row["subject"], row["aggregateId"]) == (
        message.data,
        kept.topic,
        message.ordering_key,
    )
    return same and attributes == message.attributes


def _about_grants(key, scene) -> Iterator[str]:
    """A living key is at each of its locks, once and with one secret; a dead one is gone, or owned up to."""
    alive, rests = isinstance(key.state, Active), isinstance(key.state, Suspended)
    if isinstance(key.state, Requested) and key.grants:
        yield "it has grants and was never announced as pending"
    placed = [grant for grant in key.grants if isinstance(grant.state, Placed)]
    for grant in key.grants:
        resting = rests and isinstance(grant.state, Resting | Intended)
        if not (isinstance(grant.state, Removed | Residual) or resting or (alive and grant in placed)):
            yield f"its grant at {grant.device_id} is {type(grant.state).__name__}"
        if isinstance(grant.state, Residual) and grant.exposure_until is None:
            yield f"its residual grant at {grant.device_id} does not say until when it opens"
    if alive:
        yield from _about_living(key, placed, scene)


def _about_leftovers(key, scene) -> Iterator[str]:
    """Nothing is owed to a key that is as it ought to be, and no secret outlives its last grant."""
    residual = [grant for grant in key.grants if isinstance(grant.state, Residual)]
    owed = key.entry.get("due_at") is not None
    living = isinstance(key.state, Active | Suspended) or key.awaited
    if owed != (bool(residual) or living):  # a living key, once its stay is over
        yield f"it is due at {key.entry.get('due_at')} with {len(residual)} residual grants"
    if residual and "KEY_REVOKE_FAILED" not in scene.words:
        yield "a lock would not let go of it, and nobody was alarmed"
    over = [grant for grant in key.grants if isinstance(grant.state, Removed)]
    # A secret that no lock was ever told opens nothing, and expires by itself.
    told = {(key.id, g.kind, g.secret_try) for g in over if g.state.proof is not RemovalProof.NEVER_PLACED}
    if len(over) == len(key.grants) and not told.isdisjoint(scene.sealed_pins):
        yield f"its secrets outlive it: {sorted(told.intersection(scene.sealed_pins))}"


def _about_living(key, placed, scene):
    core = key.credential.core
    wanted = sorted(door for door, rooms in scene.doors_of.items() if rooms & set(core.rooms))
    if sorted(grant.device_id for grant in placed) != wanted:
        yield f"it is placed at {sorted(grant.device_id for grant in placed)}, not at {wanted}"
    here = [found for found in scene.at_doors if found.name in {grant.vendor_name for grant in placed}]
    if len({found.secret for found in here}) != 1:
        yield f"its {len(here)} keys at the locks have not one secret"
    elif SOURCES[placed[0].kind] is not SecretSource.NONE and {found.secret for found in here} != {
        scene.sealed_pins.get((key.id, placed[0].kind, placed[0].secret_try))
    }:
        yield "what is sealed for the guest is not what opens the locks"
    if {found.end for found in here} - {key.state.key.effective.end.timestamp()}:
        yield "a lock has another end than the ledger says"


def _about_doors(scene, keys) -> Iterator[str]:
    """A lock holds exactly the keys that the ledger says it does."""
    wanted = Counter(
        (str(grant.device_id), grant.vendor_name)
        for key in keys
        for grant in key.grants
        if isinstance(key.state, Active) and isinstance(grant.state, Placed)
    )
    excused = {
        (str(grant.device_id), grant.vendor_name)
        for key in keys
        for grant in key.grants
        if isinstance(grant.state, Residual)
    }
    found = Counter((key.device, key.name) for key in scene.at_doors)
    for place, times in (found - wanted).items():
        if place not in excused:
            yield f"{place} is at the lock {times} time(s) more than the ledger knows"
    for place in wanted - found:
        yield f"{place} is in the ledger and not at the lock"
    names = {grant.vendor_name for key in keys for grant in key.grants}
    for name in scene.ever_at_doors:
        if name not in names:
            yield f"{name} was put at a lock, and no grant ever said so"


def _about_secrets(scene) -> Iterator[str]:
    """Nothing that is for the guest alone is in anything that others read."""
    main = b"\n".join(row.body for rows in scene.documents.values() for row in rows.values()).decode()
    told = b"\n".join(kept.message.data for kept in scene.log if kept.topic.startswith(EVENTS)).decode()
    attributes = orjson.dumps([dict(kept.message.attributes) for kept in scene.log]).decode()
    places = {
        "log": scene.words,
        "sagas": scene.arguments,
        "documents": main,
        "events": told,
        "attributes": attributes,
    }
    for needle in (*sorted(set(scene.hidden)), GUEST, "canary@"):
        for place, text in places.items():
            # Digits of a PIN also occur inside of ids and instants: there they say nothing.
            if needle in text and (match := re.search(ALONE.format(re.escape(needle)), text)):
                yield f"a secret is in the {place}: {text[max(0, match.start() - 60) : match.end() + 20]!r}"
