"""Each rule on a plan catches what it is there for, and the plan as it is breaks none."""

from dataclasses import replace

import pytest

from infra.terraform.plan import Cell, Made
from infra.terraform.rules import RULES, amiss

pytestmark = [pytest.mark.soak, pytest.mark.timeout(900)]
SWEEPER = "sweep-due"
CONFIRMED = "on-booking-confirmed"
TOPIC = "melmastoon.lock.credential.issued.v1"
FUNCTIONS = "module.functions.google_cloudfunctions2_function.this"
PUSHES = "module.triggers.google_pubsub_subscription.this"
CLOCKS = "module.triggers.google_cloud_scheduler_job.this"
SECRETS = "module.vault.google_project_iam_member.secret"
DATABASES = "module.storage.google_firestore_database.this"
OPENED = "module.storage.google_project_iam_member.database"
BUCKETS = "module.storage.google_storage_bucket.this"
TTLOCK = "adapter-ttlock/secretmanager.secretAccessor/lock-ttlock-*-api"
BASE = "https://europe-west6-hotel-locks-dev.cloudfunctions.net"


def within(values, path, value):
    """Return values with one of them changed, however deep."""
    head, *rest = path
    inner = value if not rest else within(values[head], rest, value)
    if isinstance(values, list):
        return [inner if at == head else each for at, each in enumerate(values)]
    return {**values, head: inner}


def changed(place, key, *path, to):
    """Return what changes one value of one resource."""

    def change(cell):
        made = cell.at(place)[key]
        other = replace(made, values=within(made.values, path, to))
        return replace(cell, made=tuple(other if each is made else each for each in cell.made))

    return change


def without(place, key):
    """Return what leaves one resource out."""

    def change(cell):
        made = cell.at(place)[key]
        return replace(cell, made=tuple(each for each in cell.made if each is not made))

    return change


def added(type_, key="planted", place="module.planted", **values):
    """Return what adds one resource."""
    made = Made(f'module.cell["dev"].{place}.{type_}.this["{key}"]', type_, values)
    return lambda cell: replace(cell, made=(*cell.made, made))


def reads(account, begins):
    """Return what lets an account read secrets whose ids begin so."""
    expression = f'resource.name.startsWith("projects/1/secrets/{begins}")'
    return added(
        "google_project_iam_member",
        role="roles/secretmanager.secretAccessor",
        member=f"serviceAccount:{account}@hotel-locks-dev.iam.gserviceaccount.com",
        condition=[{"expression": expression}],
    )


def granted(role, place="module.accounts"):
    return added(
        "google_project_iam_member", place=place, role=role, member="serviceAccount:x@y", condition=[]
    )


CONFIG = ("service_config", 0)
ENVIRONMENT = (*CONFIG, "environment_variables")
PLANTED = {
    "pushes_outlast_their_functions": [changed(PUSHES, CONFIRMED, "ack_deadline_seconds", to=70)],
    "clocks_outlast_their_functions": [changed(CLOCKS, SWEEPER, "attempt_deadline", to="180s")],
    "what_is_called_is_there": [
        changed(PUSHES, CONFIRMED, "push_config", 0, "push_endpoint", to=f"{BASE}/on-booking-confirmd"),
        changed(PUSHES, CONFIRMED, "push_config", 0, "oidc_token", 0, "audience", to=BASE),
        changed(CLOCKS, SWEEPER, "http_target", 0, "oidc_token", to=[]),
        without(FUNCTIONS, SWEEPER),
    ],
    "what_is_never_taken_ends_somewhere": [
        changed(PUSHES, CONFIRMED, "dead_letter_policy", to=[]),
        changed(
            PUSHES, CONFIRMED, "dead_letter_policy", 0, "dead_letter_topic", to=f"projects/p/topics/{TOPIC}"
        ),
        without("module.triggers.google_pubsub_subscription_iam_member.undertaker", CONFIRMED),
        without("module.topics.google_pubsub_topic_iam_member.undertaker", "melmastoon.lock.dead_letter.v1"),
        without(PUSHES, "dead-letter"),
    ],
    "parked_messages_stay": [
        changed(PUSHES, "quarantine", "message_retention_duration", to="604800s"),
        changed(PUSHES, "quarantine", "expiration_policy", to=[]),
    ],
    "strangers_call_only_what_says_so": [
        added(
            "google_cloud_run_service_iam_member", "sweep-due/allUsers", "module.functions", member="allUsers"
        ),
        added("google_cloud_run_service_iam_member", "new/allUsers", "module.functions", member="allUsers"),
        added("google_storage_bucket_iam_member", member="allAuthenticatedUsers"),
        added("google_pubsub_topic_iam_binding", members=["user:a", "allUsers"]),
    ],
    "secrets_are_read_by_their_vendor_s_adapter": [
        changed(SECRETS, TTLOCK, "condition", to=[]),
        changed(
            SECRETS, TTLOCK, "member", to="serviceAccount:on-booking-confirmed@p.iam.gserviceaccount.com"
        ),
        reads("adapter-salto", "lock-ttlock-"),
        reads("adapter-ttlock", "lock-"),
        reads("adapter-ttlock", ""),
        reads("adapter-tt", "lock-tt"),
    ],
    "rights_are_on_one_thing": [
        granted("roles/editor"),
        granted("roles/pubsub.publisher"),
        granted("roles/cloudkms.cryptoKeyDecrypter"),
        granted("roles/datastore.user", "module.storage"),
    ],
    "databases_are_those_that_there_are": [
        changed(
            OPENED,
            "adapter-ttlock/datastore.user/sealed",
            *("condition", 0, "expression"),
            to='resource.name == "projects/hotel-locks-dev/databases/keyfleet-sealded"',
        )
    ],
    "what_is_sealed_is_in_no_copy": [
        changed(
            DATABASES,
            "sealed",
            "point_in_time_recovery_enablement",
            to="POINT_IN_TIME_RECOVERY_ENABLED",
        ),
        added("google_firestore_backup_schedule", database="keyfleet-sealed"),
    ],
    "everything_stays_in_its_region": [
        changed("module.topics.google_bigquery_dataset.events", "", "location", to="EU"),
        changed(BUCKETS, "records", "location", to="us-central1"),
        changed(FUNCTIONS, SWEEPER, "location", to="europe-west1"),
        changed(FUNCTIONS, SWEEPER, "project", to="hotel-locks-gulf"),
        changed(
            "module.topics.google_pubsub_topic.this",
            TOPIC,
            *("message_storage_policy", 0, "allowed_persistence_regions"),
            to=["europe-west6", "us-central1"],
        ),
        changed("module.topics.google_pubsub_topic.this", TOPIC, "message_storage_policy", to=[]),
    ],
    "functions_run_as_they_must": [
        changed(FUNCTIONS, CONFIRMED, *CONFIG, "available_cpu", to="0.5"),
        changed(FUNCTIONS, CONFIRMED, *ENVIRONMENT, "FUNCTION_USE_ASGI", to="false"),
        changed(FUNCTIONS, CONFIRMED, *ENVIRONMENT, "KMS_EMULATOR_HOST", to="localhost:1"),
        changed(FUNCTIONS, CONFIRMED, *ENVIRONMENT, "KEYFLEET_AUDIENCE", to=BASE),
    ],
    "every_alarm_leads_to_a_page": [
        changed("module.watch.google_monitoring_alert_policy.measured", "tasks-wait", "documentation", to=[])
    ],
    "buckets_are_nobody_s": [
        changed(BUCKETS, "records", "public_access_prevention", to="inherited"),
        changed(BUCKETS, "records", "labels", "environment", to="prod"),
    ],
    "no_account_has_a_key": [added("google_service_account_key")],
}
MISTAKES = [(rule, number) for rule, many in PLANTED.items() for number in range(len(many))]


def test_every_rule_has_a_mistake_that_it_catches():
    assert [rule.__name__ for rule in RULES] == [*PLANTED]


@pytest.mark.parametrize(("rule", "number"), MISTAKES, ids=str)
def test_a_planted_mistake_is_caught_by_its_rule(rule, number, dev):
    planted = PLANTED[rule][number](dev)
    catching = {each.__name__ for each in RULES if list(each(planted))}
    assert rule in catching


def test_the_plan_as_it_is_breaks_no_rule(dev):
    assert amiss(dev) == []


def test_an_empty_plan_has_nothing_to_be_amiss():
    assert amiss(Cell("none", ())) == []
