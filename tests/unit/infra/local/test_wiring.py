"""The embedded cloud's parts are wired as the manifest says."""

from infra.local import wiring
from infra.manifest.load import Function, Manifest
from infra.manifest.model import Deployable
from infra.manifest.topics import topics_in

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


def test_function_of_one_topic_has_a_subscription_of_its_own_name():
    (found,) = wiring.subscriptions(manifest(ledger={"trigger": {"topic": "keys"}}), URL)
    assert (found.name, found.topic) == ("ledger", "keys")
