import subprocess
import sys
from importlib import import_module

import pytest

from shared.domain.reactions import REACTIONS
from shared.events.catalogue import (
    ALIASES,
    CATALOGUE,
    COMPOSITES,
    canonical,
    lookup,
    model_for,
    subjects,
    topics,
)
from shared.events.errors import EventError, UnknownSubject
from shared.events.idempotency import RECIPES
from shared.events.subject import RETENTION_RULES, Direction, Retention

LOCK = "melmastoon.lock."

PRODUCED_BY_THE_SPECIFICATION = {
    "credential.requested.v1",
    "credential.issued.v1",
    "credential.failed.v1",
    "credential.updated.v1",
    "credential.revoked.v1",
    "credential.suspended.v1",
    "credential.unsuspended.v1",
    "device.registered.v1",
    "device.health_alert.v1",
    "device.battery_low.v1",
    "device.offline.v1",
    "device.online.v1",
    "master_key.issued.v1",
    "master_key.expired.v1",
    "encoder_session.opened.v1",
    "encoder_session.closed.v1",
    "audit.attempt.v1",
    "vendor_webhook.received.v1",
    "vendor_webhook.processed.v1",
    "vendor_adapter.health_changed.v1",
}
EXTENSIONS = {
    "audit.exported.v1",
    "credential.pending.v1",
    "credential.revoke_settled.v1",
    "vendor_account.handled.v1",
}
RECIPE_OF_CONSUMED = {
    "reservation.booking.confirmed.v1": "issue",
    "reservation.booking.cancelled.v1": "revoke",
    "reservation.booking.checked_in.v1": None,
    "reservation.booking.checked_out.v1": "revoke",
    "reservation.booking.early_checkout.v1": "revoke",
    "reservation.booking.dates_changed.v1": "update",
    "reservation.booking.no_show.v1": "suspend-noshow",
    "reservation.booking.fraud_flagged.v1": "suspend-fraud",
    "staff.shift.started.v1": "issue-master",
    "staff.shift.ended.v1": "revoke-master",
    "iam.user.deactivated.v1": "mass-revoke-iam",
    "tenant.property.deactivated.v1": "mass-revoke-property",
    "tenant.config_updated.v1": None,
}
TASKS = {
    "housekeeping.task.created.v1",
    "housekeeping.task.transitioned.v1",
    "maintenance.workorder.opened.v1",
    "maintenance.workorder.transitioned.v1",
}
REGULATED = {
    name
    for name in PRODUCED_BY_THE_SPECIFICATION
    if name.startswith(("credential.", "master_key.", "audit."))
} - {"credential.requested.v1"} | {
    "audit.exported.v1",
    "credential.revoke_settled.v1",
    "vendor_account.handled.v1",
}


def named(direction: Direction) -> set[str]:
    return {row.name for row in subjects(direction)}


def test_catalogue_holds_exactly_what_the_specification_produces_and_our_extensions():
    assert named(Direction.PRODUCED) == {LOCK + name for name in PRODUCED_BY_THE_SPECIFICATION | EXTENSIONS}
    consumed = {f"melmastoon.{name}" for name in TASKS | {"reservation.booking.checked_in.v1"}}
    extensions = {LOCK + name for name in EXTENSIONS} | consumed
    assert {row.name for row in CATALOGUE.values() if row.extension} == extensions


def test_catalogue_gives_every_consumed_subject_the_recipe_of_the_specification():
    recipes = {row.name: row.recipe for row in subjects(Direction.CONSUMED)}
    for task in TASKS:  # C §15 names them, and no recipe: the newest word of a task counts
        assert recipes.pop(f"melmastoon.{task}") is None
    assert recipes == {f"melmastoon.{name}": recipe for name, recipe in RECIPE_OF_CONSUMED.items()}
    assert set(RECIPES) == {recipe for recipe in recipes.values() if recipe}


PRODUCER_OF_CONSUMED = {
    "reservation": "reservation-service",
    "staff": "staff-service / iam-service",
    "iam": "iam-service",
    "tenant": "tenant-service",
    "housekeeping": "housekeeping-service",
    "maintenance": "maintenance-service",
}


def test_catalogue_names_the_producers_of_the_specification():
    told = {row.name.split(".")[1]: row.producer for row in subjects(Direction.CONSUMED)}
    assert told == PRODUCER_OF_CONSUMED
    assert {row.producer for row in subjects(Direction.PRODUCED)} == {"lock-integration-service"}


def test_catalogue_keeps_desk_subjects_off_pubsub():
    assert {row.topic for row in subjects(Direction.LOCAL)} == {None}
    assert all(row.topic == row.name for row in CATALOGUE.values() if row.direction is not Direction.LOCAL)


@pytest.mark.parametrize(
    ("subject", "spelling"),
    [
        ("reservation.booking.checked_in.v1", "melmastoon.reservation.checked_in.v1"),
        ("reservation.booking.checked_out.v1", "melmastoon.reservation.checked_out.v1"),
        ("iam.user.deactivated.v1", "melmastoon.iam.user.disabled.v1"),
    ],
)
def test_neighbour_s_spelling_is_a_topic_beside_the_subject_s_own(subject, spelling):
    row = lookup(f"melmastoon.{subject}")
    assert topics(row) == (row.name, spelling)


def test_short_names_and_desk_subjects_are_no_topics():
    assert topics(lookup("reservation.confirmed.v1")) == ("melmastoon.reservation.booking.confirmed.v1",)
    assert topics(lookup("lock.key.issued.local.v1")) == ()
    assert topics(lookup("lock.key.issued.v1")) == (f"{LOCK}credential.issued.v1",)


@pytest.mark.parametrize(
    ("subject", "handler"),
    [
        ("reservation.booking.no_show.v1", "on-booking-no-show"),
        ("staff.shift.started.v1", "on-shift-started"),
        ("tenant.config_updated.v1", "on-config-updated"),
    ],
)
def test_handler_is_called_after_what_happened(subject, handler):
    assert lookup(f"melmastoon.{subject}").handler == handler


def test_handlers_names_are_unique_and_can_be_deployed():
    names = [row.handler for row in subjects(Direction.CONSUMED)]
    assert len(set(names)) == len(names)
    assert all(6 <= len(name) <= 28 for name in names)


def test_catalogue_retains_by_the_classes_of_the_specification():
    regulated = {row.name for row in CATALOGUE.values() if row.retention is Retention.REGULATED}
    assert regulated == {LOCK + name for name in REGULATED}
    assert all(row.retention for row in subjects(Direction.PRODUCED))


def test_catalogue_anchors_the_lifecycle_and_door_access_and_nothing_operational():
    anchored = {row.name for row in CATALOGUE.values() if row.merkle_anchored}
    master_keys = {f"{LOCK}master_key.issued.v1", f"{LOCK}master_key.expired.v1"}
    assert anchored == {LOCK + name for name in REGULATED} - master_keys


def test_retention_rules_keep_regulated_events_seven_years():
    assert RETENTION_RULES[Retention.REGULATED].sink_days >= 7 * 365
    assert RETENTION_RULES[Retention.OPERATIONAL].sink_days == 90
    assert {rule.message_days for rule in RETENTION_RULES.values()} == {7}


def test_audit_consumes_everything_we_produce():
    assert all("audit-service" in row.consumers for row in subjects(Direction.PRODUCED))


def test_issued_reaches_the_consumers_the_specification_names():
    row = lookup(f"{LOCK}credential.issued.v1")
    assert set(row.consumers) == {
        "notification-service",
        "audit-service",
        "analytics-service",
        "sync-service",
    }


def test_schema_url_is_the_full_subject_under_our_root():
    row = lookup(f"{LOCK}credential.issued.v1")
    expected = "https://schemas.melmastoon.ghasi.io/lock/melmastoon.lock.credential.issued.v1.json"
    assert row.schema_url == expected
    assert row.version == 1


@pytest.mark.parametrize("subject", CATALOGUE)
def test_model_path_names_a_documented_class_of_its_family(subject):
    module, _, name = CATALOGUE[subject].model.partition(":")
    assert model_for(subject) is getattr(import_module(module), name)
    assert model_for(subject).__doc__


def test_every_subject_has_a_model_of_its_own():
    assert len({row.model for row in CATALOGUE.values()}) == len(CATALOGUE)


@pytest.mark.parametrize(("alias", "subject"), ALIASES.items())
def test_alias_leads_to_a_canonical_subject(alias, subject):
    assert alias not in CATALOGUE
    assert canonical(alias) == subject
    assert lookup(alias) is CATALOGUE[subject]


def test_unknown_subject_names_close_matches():
    with pytest.raises(UnknownSubject, match=r"melmastoon\.lock\.credential\.issued\.v1") as caught:
        lookup("melmastoon.lock.credential.isued.v1")
    assert isinstance(caught.value, EventError)


def test_unknown_subject_far_from_everything_points_to_the_command_that_lists_all():
    with pytest.raises(UnknownSubject, match="keyfleet events"):
        model_for("??")


@pytest.mark.parametrize("short", ["booking.confirmed", "confirmed", "reservation.booking.confirmed.v1"])
def test_short_name_of_a_subject_is_refused_with_the_whole(short):
    with pytest.raises(UnknownSubject, match=r"did you mean melmastoon\.reservation\.booking\.confirmed\.v1"):
        lookup(short)


def test_composite_name_is_refused_and_names_both_of_its_facts():
    with pytest.raises(UnknownSubject) as caught:
        canonical("lock.vendor.error.v1")
    assert caught.value.close == COMPOSITES["lock.vendor.error.v1"]
    assert set(caught.value.close) <= CATALOGUE.keys()


def loaded_after(statement: str) -> set[str]:
    script = f"import sys\n{statement}\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


@pytest.mark.parametrize("module", ["catalogue", "subject", "idempotency", "errors"])
def test_importing_the_catalogue_loads_no_pydantic_and_no_model(module):
    loaded = loaded_after(f"import shared.events.{module}")
    assert not {name for name in loaded if name.startswith("pydantic")}
    assert "shared.events.wire" not in loaded


def test_model_for_loads_only_the_family_it_needs():
    loaded = loaded_after(
        "from shared.events.catalogue import model_for; model_for('melmastoon.staff.shift.ended.v1')"
    )
    families = {row.model.partition(":")[0] for row in CATALOGUE.values()}
    assert loaded & families == {"shared.events.organisation"}


def test_domain_reacts_to_every_subject_we_consume_and_to_no_other():
    assert {row.subject for row in REACTIONS} == named(Direction.CONSUMED)


def test_domain_and_catalogue_agree_on_aliases():
    assert {alias: row.subject for row in REACTIONS for alias in row.aliases}.items() <= ALIASES.items()
