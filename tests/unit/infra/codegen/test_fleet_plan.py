"""terraform/fleet.json says everything Google Cloud must be told, and every planted mistake is caught."""

import json
from copy import deepcopy
from dataclasses import replace

import pytest

from infra.codegen.fleet_plan import PLAN, fleet_plan, generate, plan_of, problems
from infra.manifest.load import ROOT, load_manifest
from infra.manifest.plan import storage
from infra.manifest.plan.checks import faults_of
from infra.manifest.topics import topics_in
from shared.events.catalogue import CATALOGUE
from shared.gcp.settings import GoogleSettings
from shared.runtime.google import deployed_of_environment
from shared.vendor_kit.registry import installed_vendors
from tests.unit.shared.runtime.test_google import WHERE

FLEET = fleet_plan()
CONFIRMED, SHIFT = "on-booking-confirmed", "melmastoon.staff.shift.started.v1"
SHOWS = ("guest-api", "guest-page", "lock-reveal", "tell-guest")
"""Who shows a key's secret to its guest, or to whom it is revealed, at every vendor."""
"""Who gives guests what is theirs, at every vendor."""
STARTED, HEARS = "on-shift-started", "event-hearers"
ISSUED = "melmastoon.lock.credential.issued.v1"


@pytest.fixture(scope="module")
def before():
    """The fleet before anything handled the shifts of staff."""
    manifest = load_manifest()
    fewer = {name: each for name, each in manifest.functions.items() if name != STARTED}
    return plan_of(replace(manifest, functions=fewer))


def grants(function, on=None, plan=FLEET):
    """Return what a function may do, by the account that it runs as."""
    account = plan["functions"].get(function, {"account": function})["account"]
    return {
        (each["role"], each["target"])
        for each in plan["grants"].values()
        if each["account"] == account and on in (None, each["on"])
    }


def test_the_plan_of_this_repository_is_committed_and_without_fault():
    assert problems(ROOT) == []
    assert (ROOT / PLAN).read_text() == generate()[PLAN]


def test_the_plan_is_the_same_however_often_it_is_made():
    fleet_plan.cache_clear()
    assert json.dumps(fleet_plan()) == json.dumps(FLEET)


def test_no_default_is_left_to_terraform():
    for name, each in FLEET["functions"].items():
        assert None not in [value for key, value in each.items() if key != "adapter"], name
        assert each["cpu"] >= 1 or each["concurrency"] == 1
        assert each["environment"]["FUNCTION_USE_ASGI"] == "true"


@pytest.mark.parametrize("name", load_manifest().functions)
def test_a_function_reads_from_its_environment_what_its_descriptor_says(name):
    function = load_manifest().functions[name]
    told = deployed_of_environment({**WHERE, **FLEET["functions"][name]["environment"], "K_SERVICE": name})
    assert told.callers == function.allowed()
    assert told.opens == frozenset(function.deployable.opens)
    assert told.secrets == tuple(sorted(function.deployable.secrets))
    assert told.roles >= frozenset(function.deployable.roles)
    assert (told.public, told.timeout) == (function.deployable.public, function.deployable.timeout)


def test_what_terraform_adds_and_what_is_planned_is_a_whole_environment():
    place = {
        "project": "hotel",
        "region": "europe-west6",
        "cell": "europe-west6",
        "base_url": "https://europe-west6-hotel.cloudfunctions.net",
        "email_domain": "hotel.iam.gserviceaccount.com",
        "records_bucket": "hotel-lock-records",
    }
    of_place = {variable: place[name] for variable, name in FLEET["environment_of_place"].items()}
    settings = GoogleSettings.from_environment(FLEET["functions"][CONFIRMED]["environment"] | of_place)
    assert (settings.key_ring, settings.records_bucket) == (FLEET["key_ring"], place["records_bucket"])
    ids = {name: each["id"] for name, each in FLEET["databases"].items()}
    assert ids == {"main": settings.main_database, "sealed": settings.sealed_database}


def test_who_looks_after_what_is_kept_is_told_where_it_lies_and_nobody_else(before):
    environment = before["functions"]["dead-letters"]["environment"]
    kept = dict(GoogleSettings.from_environment({**WHERE, **environment}).kept)
    assert kept[STARTED] == SHIFT
    assert kept.keys() == {name for name, each in before["subscriptions"].items() if each["kept_for"]}
    assert [name for name, it in before["functions"].items() if "KEYFLEET_KEPT" in it["environment"]] == [
        "backoffice-console",
        "dead-letters",
        "lock-api",
        "replay-letter",
    ]


def test_who_looks_after_dead_letters_may_pull_them_and_publish_them_again(before):
    found = grants("dead-letters", plan=before)
    for subscription in ("quarantine", "dead-letter", STARTED):
        assert ("roles/pubsub.subscriber", subscription) in found
    assert ("roles/pubsub.publisher", "melmastoon.reservation.booking.confirmed.v1") in found
    assert grants("dead-letters", "database") == set()


def test_every_topic_of_the_catalogue_and_of_the_neighbours_is_made():
    travelling = {row.name for row in CATALOGUE.values() if row.topic}
    assert travelling <= FLEET["topics"].keys()
    assert {"melmastoon.iam.user.disabled.v1", "melmastoon.reservation.checked_in.v1"} <= FLEET[
        "topics"
    ].keys()


def test_what_we_consume_has_exactly_the_subscriptions_of_its_functions_or_one_that_keeps_it(before):
    read = {}
    for name, each in before["subscriptions"].items():
        read.setdefault(each["topic"], []).append((name, each["function"], each["kept_for"]))
    assert {*topics_in("theirs")} <= read.keys()
    assert read[SHIFT] == [(STARTED, None, STARTED)]
    spelling = "melmastoon.reservation.checked_out.v1"
    assert {function for _, function, _ in read[spelling]} == {"hear-neighbours", "on-booking-checked-out"}
    assert {kept_for for _, _, kept_for in read[spelling]} == {None}


def test_what_keeps_a_subject_and_what_pushes_it_later_differ_in_nothing_that_cannot_be_changed(before):
    kept, pushed = before["subscriptions"][STARTED], FLEET["subscriptions"][STARTED]
    for fixed in ("ordered", "filter", "expires", "retention_days"):
        assert kept[fixed] == pushed[fixed], fixed
    assert (kept["retention_days"], kept["expires"], kept["ordered"]) == (31, False, True)


def test_parked_topics_are_pulled_and_never_forgotten_by_themselves():
    for name, topic in (("quarantine", "quarantine"), ("dead-letter", "dead_letter")):
        each = FLEET["subscriptions"][name]
        assert each["topic"] == f"melmastoon.lock.{topic}.v1"
        assert (each["function"], each["retention_days"], each["expires"]) == (None, 31, False)


def test_a_push_waits_longer_than_the_platform_and_the_platform_longer_than_the_handler():
    function, push = FLEET["functions"][CONFIRMED], FLEET["subscriptions"][CONFIRMED]
    handler = load_manifest().functions[CONFIRMED].deployable.timeout
    assert handler < function["timeout_seconds"] < push["ack_deadline_seconds"]
    assert (push["minimum_backoff_seconds"], push["maximum_backoff_seconds"]) == (10, 600)
    assert push["max_delivery_attempts"] == 100


def test_regulated_events_are_copied_for_seven_years_and_operational_ones_for_ninety_days():
    assert FLEET["sinks"][ISSUED] == {"days": 7 * 365 + 2, "merkle_anchored": True}
    assert FLEET["sinks"]["melmastoon.lock.credential.requested.v1"]["days"] == 90
    assert FLEET["sinks"].keys() == {*topics_in("ours"), *topics_in("telemetry")}


def test_telemetry_is_kept_and_given_up_by_its_groups():
    days = {topic.rpartition(".")[2]: FLEET["sinks"][topic]["days"] for topic in topics_in("telemetry")}
    lasting = dict.fromkeys(("session", "ai", "locks"), 7 * 365 + 2)
    assert days == {**lasting, "alerts": 365, "activity": 90, "sync": 90, "devices": 30}
    for topic in topics_in("telemetry"):
        pushed = FLEET["subscriptions"][f"keep-telemetry.{topic}"]
        assert pushed["dead_letter_topic"] == f"{topic}.dlq.v1"
        assert FLEET["subscriptions"][f"telemetry-{topic.rpartition('.')[2]}"]["topic"] == f"{topic}.dlq.v1"
    assert FLEET["signals"]["telemetry-dead-letters"]["above"] == 49


def test_a_subscriber_is_granted_the_main_database_and_not_the_sealed_one():
    assert grants(CONFIRMED, "database") == {("roles/datastore.user", "main")}
    assert grants("adapter-ttlock", "database") == {
        ("roles/datastore.user", "main"),
        ("roles/datastore.user", "sealed"),
    }


def test_what_only_sets_aside_publishes_to_the_quarantine_alone():
    assert grants("on-config-updated", "topic") == {
        ("roles/pubsub.publisher", "melmastoon.lock.quarantine.v1")
    }
    assert ("roles/pubsub.publisher", ISSUED) in grants(CONFIRMED, "topic")


def test_only_an_adapter_and_its_receiver_read_their_own_vendor_s_secrets():
    of_vendors = [each for each in FLEET["secrets"].values() if each["begins"].startswith("lock-")]
    for each in of_vendors:
        role, _, vendor = each["function"].partition("-")
        purpose = {"adapter": "-api", "webhook": "-webhook"}[role]
        assert (each["begins"], each["ends"]) == (f"lock-{vendor}-", purpose)
    readers = {each["function"] for each in of_vendors}
    assert {f"adapter-{vendor}" for vendor in installed_vendors()} == {
        each for each in readers if each.startswith("adapter-")
    }


def test_a_cipher_key_is_used_by_those_who_name_its_purpose():
    assert FLEET["key_ring"] == "melmastoon-lock"
    assert FLEET["keys"]["guest-artifact-ttlock"]["openers"] == ["adapter-ttlock", *SHOWS]
    assert FLEET["keys"]["saga-callback"]["openers"] == ["probe-handover", "probe-reply"]
    assert "lock-config" in FLEET["keys"]


def test_a_pattern_of_purposes_takes_in_every_vendor_s_key():
    manifest = load_manifest()
    some = manifest.functions["ask-again"]
    opens = {"opens": ("guest-artifact-*",), "seals": ("vendor-ref-mock",), "account": None}
    guest = replace(some, deployable=some.deployable.model_copy(update=opens))
    keys = storage.keys(replace(manifest, functions={**manifest.functions, "ask-again": guest}))
    for vendor in ("mock", "ttlock"):
        openers = {f"adapter-{vendor}", "ask-again", *SHOWS}
        assert {*keys[f"guest-artifact-{vendor}"]["openers"]} == openers
    assert keys["vendor-ref-mock"] == {
        "rotated_every_days": 90,
        "openers": ["adapter-mock"],
        "sealers": ["ask-again", "edge-gateway"],
    }


def test_whoever_serves_guests_reads_the_accounts_of_channels_or_wallets_and_no_vendor_s():
    readers = {"lock": set(), "notify": set(), "wallet": set()}
    for each in FLEET["secrets"].values():
        readers[each["begins"].partition("-")[0]].add(each["function"])
    assert readers["notify"] == {"message-status", "read-bounces", "tell-guest"}
    assert readers["wallet"] == {"guest-page"}


def test_an_adapter_is_called_by_the_sagas_that_call_adapters_and_by_nobody_else():
    callers = {each["caller"] for each in FLEET["invokers"].values() if each["function"] == "adapter-ttlock"}
    sagas = {it["account"] for it in FLEET["workflows"].values() if "adapter-ttlock" in it["calls"]}
    assert callers == sagas != set()


def test_a_workflow_knows_its_identity_its_environment_and_how_little_it_logs():
    it = FLEET["workflows"]["probe_platform"]
    assert (it["account"], it["source"]) == ("workflow-probe-platform", "workflows/probe_platform.yaml")
    assert it["environment_of_fleet"] == {"FLEET_URL": "base_url"}
    assert (it["call_log_level"], it["execution_history_level"]) == (
        "LOG_ERRORS_ONLY",
        "EXECUTION_HISTORY_BASIC",
    )


def test_the_databases_divide_the_collections_and_only_the_main_one_is_backed_up():
    main, sealed = (FLEET["databases"][name] for name in ("main", "sealed"))
    assert not main["collections"].keys() & sealed["collections"].keys()
    assert "key_secrets" in sealed["collections"]
    assert "credentials" in main["collections"]
    assert (main["backed_up"], sealed["backed_up"], sealed["point_in_time_recovery"]) == (True, False, False)


def test_no_collection_is_indexed_by_default_and_those_that_expire_have_a_time_to_live():
    for database, kept in FLEET["databases"].items():
        for name, collection in kept["collections"].items():
            assert FLEET["fields"][f"{database}/{name}/*"]["indexes"] == []
            expiry = FLEET["fields"].get(f"{database}/{name}/expires_at", {})
            assert expiry.get("ttl", False) is collection["expires"]


def test_every_alert_has_a_page_that_is_there():
    assert FLEET["alerts"]
    assert all((ROOT / each["runbook"]).exists() for each in FLEET["alerts"].values())


def _late(plan):
    plan["subscriptions"][CONFIRMED]["ack_deadline_seconds"] = 70


def _short_queue(plan):
    plan["queues"]["probe-reply"]["dispatch_deadline_seconds"] = 10


def _short_tick(plan):
    plan["schedules"]["sweep-due"]["attempt_deadline_seconds"] = 180


def _lost(plan):
    del plan["subscriptions"]["on-shift-started"]


def _renamed(plan):
    plan["subscriptions"]["on-shifts"] = plan["subscriptions"].pop("on-shift-started")


def _misread(plan):
    plan["subscriptions"]["on-shift-started"]["topic"] = "melmastoon.staff.shift.ended.v1"


def _endless(plan):
    plan["subscriptions"][CONFIRMED]["dead_letter_topic"] = None


def _unpulled(plan):
    del plan["subscriptions"]["dead-letter"]


def _slow_adapter(plan):
    plan["functions"]["adapter-ttlock"]["timeout_seconds"] = 140


def _stranger(plan):
    plan["invokers"]["sweep-due/gardener"] = {"function": "sweep-due", "caller": "gardener"}


def _long_name(plan):
    plan["identities"]["workflow-that-walks-every-door-twice"] = {"kind": "workflow"}


def _nosy(plan):
    plan["secrets"]["x"] = {"function": "adapter-mock", "begins": "lock-ttlock-", "ends": "-api"}


def _nosy_function(plan):
    plan["secrets"]["x"] = {"function": "sweep-due", "begins": "lock-", "ends": "-api"}


def _vague(plan):
    plan["secrets"]["x"] = {"function": "adapter-mock", "begins": "lock-mock-", "ends": ""}


def _peeking(plan):
    plan["grants"]["x"] = {
        "account": HEARS,
        "role": "roles/datastore.user",
        "on": "database",
        "target": "sealed",
    }


def _opening(plan):
    plan["keys"]["saga-callback"]["openers"].append(HEARS)


def _write_only(plan):
    plan["keys"]["guest-contact"] = {"rotated_every_days": 90, "openers": [], "sealers": [HEARS]}


def _misspelt(plan):
    plan["functions"][CONFIRMED]["environment"]["KEYFLEET_SEALS"] = "guest-artefact-*"


def _widened(plan):
    plan["functions"][CONFIRMED]["environment"]["KEYFLEET_ROLES"] += ",sealed"


def _opened(plan):
    plan["functions"]["end-key"]["environment"]["KEYFLEET_OPENS"] = "saga-callback"


def _namesake(plan):
    plan["functions"]["end-key"]["account"] = "hold-stay"
    plan["functions"]["copy-key"]["account"] = "end-key"


def _many(plan):
    plan["identities"] |= {f"one-more-{number}": {"kind": "function"} for number in range(40)}


def _uncallable(plan):
    plan["invokers"] = {key: row for key, row in plan["invokers"].items() if row["function"] != "ask-again"}


PLANTED = {
    "the push gives up before the function": (_late, "ack_deadline_seconds 70 is no longer than"),
    "the queue gives up before the function": (_short_queue, "dispatch_deadline_seconds 10"),
    "the tick gives up before the function": (_short_tick, "attempt_deadline_seconds 180"),
    "a subject without a subscription": (_lost, "no subscription is called on-shift-started"),
    "a handler by another name": (_renamed, "or what was kept for it is deleted"),
    "a subscription to another topic": (_misread, "on-shift-started reads melmastoon.staff.shift.ended.v1"),
    "a push without an end": (_endless, "its dead letters are kept by no pull subscription"),
    "dead letters that nobody pulls": (_unpulled, "its dead letters are kept by no pull subscription"),
    "an adapter that outlasts its calls": (_slow_adapter, "the ledger waits 150 s"),
    "a caller that is no identity": (_stranger, "no such identity as gardener"),
    "an identity with too long a name": (_long_name, "30 letters at most"),
    "an adapter that reads another vendor's accounts": (_nosy, "accounts that are not its vendor's"),
    "a function that reads accounts": (_nosy_function, "sweep-due reads accounts"),
    "a secret of no purpose": (_vague, "end it in -api or -webhook"),
    "a subscriber that reads what is sealed": (_peeking, f"{CONFIRMED}: a subscriber"),
    "a subscriber that opens": (_opening, f"{CONFIRMED}: a subscriber"),
    "what can be sealed and never opened": (_write_only, "opened by nobody"),
    "a pattern that takes in nothing": (_misspelt, "no purpose is called guest-artefact-*"),
    "a subscriber with more rights than those who share its account": (_widened, "whose account it shares"),
    "an order that opens more than those who share its account": (_opened, "end-key: its rights are not"),
    "an account with the name of a function that runs as another": (_namesake, "bears its name"),
    "more accounts than a project has": (_many, "service accounts, and 80 are allowed"),
    "a function that nobody may call": (_uncallable, "ask-again: nobody may call it"),
}


@pytest.mark.parametrize(("plant", "said"), PLANTED.values(), ids=list(PLANTED))
def test_a_planted_mistake_is_caught_and_said(plant, said):
    plan = deepcopy(FLEET)
    plant(plan)
    assert any(said in fault for fault in faults_of(plan)), faults_of(plan)
