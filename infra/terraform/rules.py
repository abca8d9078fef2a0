"""What a plan must keep that no schema knows: rights, regions, times and ends, each with what is amiss."""

from collections.abc import Callable, Iterator
from itertools import permutations
from typing import Final

from infra.terraform.plan import Cell, Made
from shared.gcp.settings import EMULATED

Rule = Callable[[Cell], Iterator[str]]

EVERYBODY: Final = frozenset({"allUsers", "allAuthenticatedUsers"})
TOO_BROAD: Final = ("roles/owner", "roles/editor", "roles/viewer")
ONLY_ON_ONE_THING: Final = (
    "roles/cloudkms.",
    "roles/pubsub.publisher",
    "roles/pubsub.subscriber",
    "roles/storage.",
)
"""Roles that an account of the fleet may have on one thing and never in the whole project."""
WHERE: Final = ("location", "location_id", "region")
NO_REGION: Final = frozenset(
    {"google_iam_workload_identity_pool", "google_logging_metric", "google_project_service"}
)
SEALED: Final = "keyfleet-sealed"
MESSENGERS: Final = ("message-status", "read-bounces", "tell-guest")
"""Who reads the accounts at mail, SMS and push services, that of each way apart."""
WALLETS: Final = ("wallet-apple-", "wallet-google-")
"""Accounts at wallets, which the key page alone reads."""


def pushes_outlast_their_functions(cell: Cell) -> Iterator[str]:
    """A push that gives up before its function ends comes again while the first still runs."""
    for each in cell.of(_SUBSCRIPTION):
        function = _called(each.block("push_config").get("push_endpoint"))
        if function and each.values["ack_deadline_seconds"] <= _may_run(cell, function):
            yield f"{each.address}: acknowledgement is due before {function} must have ended"


def clocks_outlast_their_functions(cell: Cell) -> Iterator[str]:
    """So does a clock's call."""
    for each in cell.of("google_cloud_scheduler_job"):
        function = _called(each.block("http_target").get("uri"))
        deadline = int(each.values["attempt_deadline"].removesuffix("s"))
        if function and deadline <= _may_run(cell, function):
            yield f"{each.address}: gives up before {function} must have ended"


def what_is_called_is_there(cell: Cell) -> Iterator[str]:
    """Every push and every clock calls a function of the plan, with its own audience."""
    calls = [
        *((each, each.block("push_config"), "push_endpoint") for each in cell.of(_SUBSCRIPTION)),
        *((each, each.block("http_target"), "uri") for each in cell.of("google_cloud_scheduler_job")),
    ]
    for each, target, address in ((each, target, target.get(name)) for each, target, name in calls):
        if address is None:
            continue
        if _called(address) not in cell.functions:
            yield f"{each.address}: {address} is no function of the plan"
        if (target.get("oidc_token") or [{}])[0].get("audience") != address:
            yield f"{each.address}: its tokens are for another audience than {address}"


def what_is_never_taken_ends_somewhere(cell: Cell) -> Iterator[str]:
    """What a function never takes goes to a topic that somebody pulls, and Pub/Sub may move it there."""
    pulled = {each.values["topic"] for each in _pulled(cell)}
    moved_to = {each.key for each in cell.made if each.place.endswith("_topic_iam_member.undertaker")}
    moved_from = {
        each.key for each in cell.made if each.place.endswith("_subscription_iam_member.undertaker")
    }
    for each in cell.of(_SUBSCRIPTION):
        if not each.values["push_config"]:
            continue
        topic = each.block("dead_letter_policy").get("dead_letter_topic")
        if topic is None:
            yield f"{each.address}: what its function never takes is lost"
        elif topic not in pulled:
            yield f"{each.address}: nobody pulls its dead letters"
        if each.key not in moved_from or (topic and _last(topic) not in moved_to):
            yield f"{each.address}: Pub/Sub may not move what it gives up"


def parked_messages_stay(cell: Cell) -> Iterator[str]:
    """What is kept until somebody comes is kept for a month, by subscriptions that never expire."""
    for each in _pulled(cell):
        if each.values["message_retention_duration"] != f"{31 * 86400}s":
            yield f"{each.address}: keeps messages for less than 31 days"
    for each in cell.of(_SUBSCRIPTION):
        if each.block("expiration_policy").get("ttl") != "":
            yield f"{each.address}: is deleted when nobody comes for a month"


def strangers_call_only_what_says_so(cell: Cell) -> Iterator[str]:
    """Only a function that checks callers itself, people's or anybody's, is open to all."""
    for each in cell.made:
        if EVERYBODY & {each.values.get("member"), *(each.values.get("members") or ())}:
            told = cell.told(each.key.partition("/")[0]).keys()
            if each.type != _INVOKER or not {"KEYFLEET_PEOPLE", "KEYFLEET_PUBLIC"} & told:
                yield f"{each.address}: open to {each.values.get('member')}, which nothing declares"


def _may_read(account: str, begins: str) -> bool:
    """Say whether an account is a vendor's, or one of those that send messages, and reads just its own."""
    vendor = begins.removeprefix("lock-").removesuffix("-")
    if begins.startswith("lock-"):
        return bool(vendor) and vendor in account
    if begins in WALLETS:
        return account == "guest-page"
    return account in MESSENGERS and any(begins == f"notify-{way}-" for way in ("email", "push", "sms"))


def secrets_are_read_by_their_vendor_s_adapter(cell: Cell) -> Iterator[str]:
    """Only adapter-<v>, and <v>'s webhook receiver, read what begins with lock-<v>-."""
    readers = dict(_readers(cell))
    for each in cell.of("google_project_iam_member"):
        if "secretmanager" in each.values["role"] and each.address not in readers:
            yield f"{each.address}: reads every secret of the project"
    for address, (account, begins) in readers.items():
        if not _may_read(account, begins):
            yield f"{address}: {account} reads {begins}*, which is not its vendor's"
    for (_, (one, begins)), (address, (other, longer)) in permutations(readers.items(), 2):
        if one != other and begins != longer and longer.startswith(begins):
            yield f"{address}: {one} reads {longer}* too, for it begins with {begins}"


def rights_are_on_one_thing(cell: Cell) -> Iterator[str]:
    """No account of the fleet has a role in the whole project that can be had on one thing."""
    for each in cell.of("google_project_iam_member"):
        role, conditions = each.values["role"], each.values["condition"]
        if role in TOO_BROAD:
            yield f"{each.address}: {role} is more than any account needs"
        if each.place.startswith(_FLEET) and role.startswith(ONLY_ON_ONE_THING):
            yield f"{each.address}: {role} in the whole project"
        if role == "roles/datastore.user" and not conditions:
            yield f"{each.address}: opens every database"


def databases_are_those_that_there_are(cell: Cell) -> Iterator[str]:
    """A condition on a database names one of the plan, or it grants nothing."""
    known = {f"projects/{cell.project}/databases/{each.values['name']}" for each in cell.of(_DATABASE)}
    for each in cell.at("module.storage.google_project_iam_member.database").values():
        expression = each.block("condition").get("expression", "")
        if not any(f'"{name}"' in expression for name in known):
            yield f"{each.address}: its condition names no database of the cell"


def what_is_sealed_is_in_no_copy(cell: Cell) -> Iterator[str]:
    """What was destroyed in the sealed database must not be had back for days from the past or a backup."""
    for each in cell.of(_DATABASE):
        if each.values["name"] == SEALED and "ENABLED" in each.values["point_in_time_recovery_enablement"]:
            yield f"{each.address}: keeps seven days of what was destroyed"
    for each in cell.of("google_firestore_backup_schedule"):
        if each.values.get("database") == SEALED:
            yield f"{each.address}: copies what must be destroyable"


def everything_stays_in_its_region(cell: Cell) -> Iterator[str]:
    """A tenant pinned to a region never leaves it (A §17.5): nothing rests, runs or is logged elsewhere."""
    for each in cell.made:
        for name in WHERE:
            if each.values.get(name) not in (None, cell.region):
                yield f"{each.address}: {name} is {each.values[name]}, not {cell.region}"
        if each.values.get("project") not in (None, cell.project):
            yield f"{each.address}: is made in {each.values['project']}, another cell's project"
    for each in cell.of("google_pubsub_topic"):
        if each.block("message_storage_policy").get("allowed_persistence_regions") != [cell.region]:
            yield f"{each.address}: its messages may rest elsewhere"


def functions_run_as_they_must(cell: Cell) -> Iterator[str]:
    """Several requests at once take a whole cpu and an event loop; no test's variable is set."""
    for name, each in cell.functions.items():
        config, told = each.block("service_config"), cell.told(name)
        if config["max_instance_request_concurrency"] > 1 and float(config["available_cpu"]) < 1:
            yield f"{each.address}: less than a cpu serves one request at a time"
        if told.get("FUNCTION_USE_ASGI") != "true":
            yield f"{each.address}: FUNCTION_USE_ASGI is not set, so every request gets a thread"
        for variable in sorted(told.keys() & {*EMULATED.values()}):
            yield f"{each.address}: {variable} sends it to an emulator, in clear"
        if told.get("KEYFLEET_AUDIENCE") != f"{told.get('KEYFLEET_BASE_URL')}/{name}":
            yield f"{each.address}: takes tokens for another audience than its address"


def every_alarm_leads_to_a_page(cell: Cell) -> Iterator[str]:
    """Whoever is woken finds what to do."""
    for each in cell.of("google_monitoring_alert_policy"):
        if "infra/runbooks/" not in each.block("documentation").get("content", ""):
            yield f"{each.address}: names no runbook"


def buckets_are_nobody_s(cell: Cell) -> Iterator[str]:
    """No bucket can be opened to the public; where guests are, what is kept for years is locked."""
    for each in cell.of("google_storage_bucket"):
        if each.values["public_access_prevention"] != "enforced":
            yield f"{each.address}: could be opened to everybody"
        policy = each.values["retention_policy"]
        if (
            each.key
            and each.values["labels"]["environment"] != "dev"
            and not (policy and policy[0]["is_locked"])
        ):
            yield f"{each.address}: its objects could be deleted before their time"


def no_account_has_a_key(cell: Cell) -> Iterator[str]:
    """A service account's key is a password in a file."""
    for each in cell.of("google_service_account_key", "google_storage_hmac_key"):
        yield f"{each.address}: let whoever needs it act as the account"


_DATABASE: Final = "google_firestore_database"
_SUBSCRIPTION: Final = "google_pubsub_subscription"
_INVOKER: Final = "google_cloud_run_service_iam_member"
_FLEET: Final = ("module.accounts.", "module.storage.", "module.topics.", "module.triggers.", "module.vault.")
RULES: Final[tuple[Rule, ...]] = (
    pushes_outlast_their_functions,
    clocks_outlast_their_functions,
    what_is_called_is_there,
    what_is_never_taken_ends_somewhere,
    parked_messages_stay,
    strangers_call_only_what_says_so,
    secrets_are_read_by_their_vendor_s_adapter,
    rights_are_on_one_thing,
    databases_are_those_that_there_are,
    what_is_sealed_is_in_no_copy,
    everything_stays_in_its_region,
    functions_run_as_they_must,
    every_alarm_leads_to_a_page,
    buckets_are_nobody_s,
    no_account_has_a_key,
)


def amiss(cell: Cell) -> list[str]:
    """Return what is amiss in a cell."""
    return [said for rule in RULES for said in rule(cell)]


def _called(address: str | None) -> str:
    return (address or "").rpartition("/")[2]


def _last(name: str | None) -> str:
    return (name or "").rpartition("/")[2]


def _may_run(cell: Cell, function: str) -> float:
    made = cell.functions.get(function)
    return float(made.block("service_config")["timeout_seconds"]) if made else 0.0


def _pulled(cell: Cell) -> Iterator[Made]:
    for each in cell.of(_SUBSCRIPTION):
        if not each.values["push_config"] and not each.values["bigquery_config"]:
            yield each


def _readers(cell: Cell) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield each right on secrets with its account, and what the ids it opens begin with."""
    for each in cell.of("google_project_iam_member"):
        expression = str(each.block("condition").get("expression", ""))
        begins = expression.partition("/secrets/")[2].partition('"')[0]
        if "secretmanager" in each.values["role"] and expression.lstrip().startswith(
            "resource.name.startsWith("
        ):
            account = str(each.values["member"]).removeprefix("serviceAccount:").partition("@")[0]
            yield each.address, (account, begins)
