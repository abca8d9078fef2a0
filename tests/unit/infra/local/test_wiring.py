"""The embedded cloud's parts are wired as the manifest says."""

from infra.local import wiring
from infra.manifest.load import Function, Manifest, load_manifest
from infra.manifest.model import Deployable
from infra.manifest.topics import heard_alone, topics_in

URL = "http://127.0.0.1:8787"


def manifest(**functions):
    return Manifest(
        {
            name: Function(
                name,
                "upkeep",
                Deployable.model_validate({"description": "Listens.", "callers": ["operator"], **fields}),
            )
            for name, fields in functions.items()
        }
    )


def test_function_of_several_topics_has_a_subscription_to_each():
    fleet = manifest(ledger={"trigger": {"topics": "ours:regulated"}, "timeout": 90})
    found = wiring.subscriptions(fleet, URL)
    assert [each.topic for each in found] == [*topics_in("ours:regulated")]
    assert {each.name for each in found} == {f"ledger.{each.topic}" for each in found}
    assert {each.push_url for each in found} == {f"{URL}/ledger"}
    assert {each.ack_deadline for each in found} == {110}  # longer than the function may run


def test_neighbour_s_spelling_is_subscribed_to_with_the_subject():
    trigger = {"topic": "melmastoon.reservation.booking.checked_out.v1"}
    found = wiring.subscriptions(manifest(ledger={"trigger": trigger}), URL)
    spelling = "melmastoon.reservation.checked_out.v1"
    assert {each.name: each.topic for each in found} == {
        "ledger": "melmastoon.reservation.booking.checked_out.v1",
        f"ledger.{spelling}": spelling,
    }


def test_what_nothing_handles_yet_is_kept_for_the_function_to_come():
    some = manifest(**{"on-shift-started": {"trigger": {"topic": "melmastoon.staff.shift.started.v1"}}})
    kept = {each.name: each.kept_for for each in wiring.topics(some) if each.kept_for}
    assert "melmastoon.staff.shift.started.v1" not in kept
    assert kept["melmastoon.staff.shift.ended.v1"] == "on-shift-ended"
    assert kept["melmastoon.iam.user.disabled.v1"] == "on-user-deactivated.melmastoon.iam.user.disabled.v1"
    assert not any(name.startswith("melmastoon.lock.") for name in kept)


def test_every_subject_that_we_consume_has_a_subscription_or_is_kept():
    fleet, url = load_manifest(), URL
    read = {each.topic for each in wiring.subscriptions(fleet, url)}
    kept = {each.name for each in wiring.topics(fleet) if each.kept_for}
    ours = {each for each in read if each.startswith(("melmastoon.lock.", "melmastoon.bff."))}
    assert {*topics_in("theirs")} == (read | kept) - ours - {*heard_alone()}


def test_tick_that_fails_is_tried_again_as_often_as_its_descriptor_says():
    trigger = {"schedule": "7 * * * *", "retries": 2, "retry": {"minimum": 20, "maximum": 40}}
    (retried,) = wiring.schedules(manifest(ledger={"trigger": trigger}), URL)
    assert (retried.retry.max_attempts, retried.retry.min_backoff, retried.retry.max_backoff) == (3, 20, 40)
    (once,) = wiring.schedules(manifest(ledger={"trigger": {"schedule": "7 * * * *"}}), URL)
    assert once.retry.max_attempts == 1


def test_task_is_given_up_by_its_age_where_its_descriptor_says():
    (queue,) = wiring.queues(manifest(ledger={"trigger": {"queue": True, "max_age": 600}}), URL)
    assert (queue.retry.max_attempts, queue.retry.max_duration) == (100, 600)


def test_function_of_one_topic_has_a_subscription_of_its_own_name():
    (found,) = wiring.subscriptions(manifest(ledger={"trigger": {"topic": "keys"}}), URL)
    assert (found.name, found.topic) == ("ledger", "keys")
