"""A descriptor says who may call and when it runs; what cannot be deployed is refused."""

import pytest
from pydantic import ValidationError

from infra.manifest.model import Deployable, Family, entry_point
from infra.manifest.triggers import Backoff

INTERNAL = {"http": "internal"}
TRIGGERS = [
    {"topic": "melmastoon.lock.credential.issued.v1"},
    {"http": "public"},
    {"queue": True},
    {"schedule": "7 * * * *", "zone": "Asia/Kabul"},
    {"topics": ("melmastoon.lock.credential.issued.v1", "melmastoon.lock.credential.failed.v1")},
    {"topics": "ours:regulated"},
    {"http": "people"},
    {"service": "public"},
    {"service": "people"},
]


def deployable(**fields):
    """A descriptor with what every descriptor needs."""
    return Deployable.model_validate(
        {"description": "Answers the probe.", "trigger": {"http": "public"}} | fields
    )


@pytest.mark.parametrize(
    "name", ["probe", "Probe-answer", "probe_answer", "1probe", "-probe-answer", "p" * 29, "probe-answer\n"]
)
def test_family_refuses_a_name_that_no_service_account_can_carry(name):
    with pytest.raises(ValidationError):
        Family.model_validate({"functions": {name: {"description": "Answers.", "trigger": {"queue": True}}}})


@pytest.mark.parametrize("name", ["probes", "doors-assa-abloy", "p" * 28, "on-no-show2"])
def test_family_accepts_a_name_of_6_to_28_letters_digits_and_dashes(name):
    family = Family.model_validate(
        {"functions": {name: {"description": "Answers.", "trigger": {"queue": True}}}}
    )

    assert list(family.functions) == [name]


@pytest.mark.parametrize(
    "fields",
    [
        {"memmory": "256Mi"},
        {"trigger": {"http": "internal", "secret": "x"}, "callers": ["operator"]},
        {"trigger": {"topic": "keys", "retry": {"min": 1}}},
        {"trigger": {"http": "private"}},
        {"trigger": {"queue": False}},
        {"trigger": {}},
        {"description": "Short."},
        {"memory": "256MB"},
        {"concurrency": 0},
        {"timeout": 3601},
        {"callers": ["Operator"]},
        {"entry_point": "probe-answer"},
        {"trigger": {"topic": "keys", "dead_letter_after": 4}},
        {"trigger": {"topic": "keys", "retry": {"maximum": 601}}},
        {"trigger": {"topics": []}},
        {"trigger": {"topics": "ours:precious"}},
        {"trigger": {"topic": "keys", "topics": ["doors"]}},
        {"trigger": {"service": True}},
        {"cpu": 0.5},
        {"min_instances": 3, "max_instances": 2},
        {"ingress": "internal"},
        {"trigger": {"topic": "keys"}, "timeout": 581},
        {"trigger": {"queue": True}, "timeout": 1781},
        {"roles": ["everything"]},
        {"opens": ["*"]},
        {"adapter": "salto/../x"},
    ],
    ids=str,
)
def test_descriptor_refuses_what_cannot_be_deployed(fields):
    with pytest.raises(ValidationError):
        deployable(**fields)


def test_subscription_delivers_as_often_as_pubsub_allows_before_it_gives_up():
    trigger = deployable(trigger={"topic": "keys"}).trigger
    assert (trigger.dead_letter_after, trigger.retry.maximum) == (100, 600)


def test_less_than_one_cpu_is_refused_for_several_requests_at_a_time_with_its_remedy():
    with pytest.raises(ValidationError, match="set cpu: 1, or concurrency: 1"):
        deployable(cpu=0.5)
    assert deployable(cpu=0.5, concurrency=1).cpu == 0.5


def test_adapter_is_described_by_its_vendor_alone():
    described = Deployable.model_validate({"adapter": "assa-abloy"})
    assert described.secrets == ("lock-assa-abloy-*-api",)
    own = ("vendor-ref-assa-abloy", "guest-artifact-assa-abloy", "guest-account-assa-abloy")
    own += ("blind-index", "next-account-assa-abloy")
    assert described.opens == own
    assert (described.exposure, described.timeout, described.max_instances) == ("internal", 120, 60)
    assert set(described.roles) == {"documents", "sealed", "publish", "secrets-write"}


def test_what_an_adapter_s_descriptor_says_itself_holds():
    described = Deployable.model_validate({"adapter": "salto", "timeout": 60, "roles": ["documents"]})
    assert (described.timeout, described.roles) == (60, ("documents",))
    assert described.secrets == ("lock-salto-*-api",)


@pytest.mark.parametrize(
    ("name", "descriptor"),
    [
        ("adapter-salto", {"adapter": "ttlock"}),
        ("doors-of-salto", {"adapter": "salto"}),
        ("adapter-salto", {"description": "Answers.", "trigger": {"queue": True}}),
    ],
    ids=["another's", "unfindable", "nobody's"],
)
def test_adapter_bears_the_name_that_sagas_call(name, descriptor):
    with pytest.raises(ValidationError, match="sagas call adapter-<vendor>"):
        Family.model_validate({"functions": {name: descriptor}})


def test_backoff_whose_bounds_are_swapped_is_refused_with_its_remedy():
    with pytest.raises(ValidationError, match="swap them"):
        Backoff(minimum=20, maximum=10)


@pytest.mark.parametrize("trigger", TRIGGERS, ids=str)
def test_descriptor_accepts_every_trigger(trigger):
    assert deployable(trigger=trigger).trigger.model_dump(exclude_unset=True) == trigger


@pytest.mark.parametrize(
    ("trigger", "own"),
    [
        (TRIGGERS[0], "pubsub-push"),
        (TRIGGERS[2], "cloud-tasks"),
        (TRIGGERS[3], "cloud-scheduler"),
        (TRIGGERS[5], "pubsub-push"),
    ],
    ids=["topic", "queue", "schedule", "topics"],
)
def test_trigger_s_own_identity_may_call_beside_those_named(trigger, own):
    assert deployable(trigger=trigger, callers=["operator"]).allowed() == {own, "operator"}


def test_http_trigger_lets_nobody_call_but_those_named():
    assert deployable(trigger=INTERNAL, callers=["operator"]).allowed() == {"operator"}


@pytest.mark.parametrize("trigger", [*TRIGGERS, INTERNAL, {"service": "internal"}], ids=str)
def test_what_is_public_and_what_is_for_people_says_so_itself(trigger):
    described = deployable(trigger=trigger, callers=["operator"])
    assert described.public is (trigger in ({"http": "public"}, {"service": "public"}))
    assert described.people is (trigger in ({"http": "people"}, {"service": "people"}))


def test_entry_point_is_the_name_in_snake_case_unless_the_descriptor_says_otherwise():
    assert entry_point("on-no-show", deployable()) == "on_no_show"
    assert entry_point("on-no-show", deployable(entry_point="suspend_later")) == "suspend_later"


def test_descriptor_does_not_change():
    with pytest.raises(ValidationError, match="frozen"):
        deployable().timeout = 5


@pytest.mark.parametrize("name", ["operator", "pubsub-push", "cloud-tasks", "workflow-probe-platform"])
def test_a_function_may_not_bear_an_identity_of_the_platform(name):
    described = {"description": "Takes somebody's name.", "trigger": {"http": "public"}}
    with pytest.raises(ValidationError, match="identity of the platform"):
        Family.model_validate({"functions": {name: described}})
