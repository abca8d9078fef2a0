"""What a plan must keep that no single descriptor can: each rule a sentence about what would go wrong."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from infra.manifest.plan.messaging import handlers
from infra.manifest.plan.named_collections import named_collections
from shared.ledger.grant_record import CALLS_LAST
from shared.ports.collections import COLLECTIONS
from shared.ports.vault import names

Plan = dict[str, Any]

LONGEST_ACCOUNT: Final = 30
MOST_ACCOUNTS: Final = 80
OF_GUESTS: Final = {
    "notify-": ("notifications", "messengers: only notifications write to guests"),
    "wallet-": ("guest_keys", "wallets: only the key page makes cards"),
}
"""Which family alone reads accounts that begin so, and what else is said of whoever does."""
"""Begins the names of accounts at whoever carries messages to guests."""


def what_is_consumed_is_never_lost(plan: Plan) -> Iterator[str]:
    """A subject that we consume has a subscription from its first day, which its function takes over."""
    taken = {each["topic"]: name for name, each in plan["subscriptions"].items() if not each["function"]}
    for topic, name in handlers().items():
        if name not in plan["subscriptions"]:
            yield (
                f"{topic}: no subscription is called {name}: call its first function so, "
                "or what was kept for it is deleted with the subscription that kept it"
            )
        elif plan["subscriptions"][name]["topic"] != topic:
            yield f"{name} reads {plan['subscriptions'][name]['topic']} and not {topic}: rename that function"
        elif topic in taken and taken[topic] != name:
            yield f"{topic}: {taken[topic]} keeps it too: one subscription is enough"


def pushes_outlast_functions(plan: Plan) -> Iterator[str]:
    """Whoever triggers a function waits longer than it may run, or the same call comes twice at once."""
    waits = (("subscriptions", "ack_deadline_seconds"), ("queues", "dispatch_deadline_seconds"))
    for table, field in (*waits, ("schedules", "attempt_deadline_seconds")):
        for name, each in plan[table].items():
            function = plan["functions"].get(each["function"])
            if function and each[field] <= function["timeout_seconds"]:
                yield f"{name}: {field} {each[field]} is no longer than {each['function']} may run"


def pushes_end_somewhere(plan: Plan) -> Iterator[str]:
    """What a function never takes becomes a dead letter, on a topic that somebody pulls."""
    pulled = {each["topic"] for each in plan["subscriptions"].values() if not each["function"]}
    for name, each in plan["subscriptions"].items():
        if each["function"] and each["dead_letter_topic"] not in pulled:
            yield f"{name}: its dead letters are kept by no pull subscription"


def adapters_end_before_their_calls_are_believed_over(plan: Plan) -> Iterator[str]:
    """The ledger believes a vendor's call over after a while: by then no adapter may still make it."""
    for name, each in plan["functions"].items():
        if each["adapter"] and each["timeout_seconds"] + 20 > CALLS_LAST.total_seconds():
            most = f"{CALLS_LAST.total_seconds():g} s"
            yield f"{name}: may run {each['timeout_seconds']} s, and the ledger waits {most}"


def identities_exist_and_fit(plan: Plan) -> Iterator[str]:
    """Whoever calls or is granted something is an account, and accounts have short names."""
    for table, field in (("invokers", "caller"), ("grants", "account"), ("workflows", "account")):
        for key, each in plan[table].items():
            if each[field] not in plan["identities"]:
                yield f"{key}: no such identity as {each[field]}"
    for name in plan["identities"]:
        if len(name) > LONGEST_ACCOUNT:
            yield f"{name}: a service account's name has {LONGEST_ACCOUNT} letters at most"


def accounts_are_shared_by_equals(plan: Plan) -> Iterator[str]:
    """Functions of one account have the very same rights: sharing it widens nobody's."""
    shared: dict[str, tuple[str, list[str | None]]] = {}
    for name, each in plan["functions"].items():
        rights = [each["environment"].get(said) for said in _RIGHTS]
        first, those = shared.setdefault(each["account"], (name, rights))
        if rights != those:
            yield f"{name}: its rights are not those of {first}, whose account it shares: give it its own"
    for account in plan["functions"].keys() & shared.keys():
        if plan["functions"][account]["account"] != account:
            yield f"{account}: an account of others bears its name: name theirs otherwise"


def accounts_are_few(plan: Plan) -> Iterator[str]:
    """A project has a hundred service accounts, and others than ours are among them (decision 0159)."""
    count = len(plan["identities"])
    if count > MOST_ACCOUNTS:
        yield (
            f"{count} service accounts, and {MOST_ACCOUNTS} are allowed: have functions of the same rights "
            "share one (`account` in fleet.yaml)"
        )


def secrets_stay_with_their_vendor(plan: Plan) -> Iterator[str]:
    """Only an adapter reads a vendor's accounts, and only its own vendor's."""
    for each in plan["secrets"].values():
        function = plan["functions"][each["function"]]
        adapter = function["adapter"]
        owner = next((row for begins, row in OF_GUESTS.items() if each["begins"].startswith(begins)), None)
        if owner is not None:
            family, said = owner
            if function["family"] != family:
                yield f"{each['function']} reads accounts of {said}"
            continue
        if each["ends"] == "-api" and each["begins"] != f"lock-{adapter}-":
            yield f"{each['function']} reads accounts that are not its vendor's: {each['begins']}*"
        if each["ends"] not in ("-api", "-webhook"):
            yield f"{each['function']} reads {each['begins']}*{each['ends']}: end it in -api or -webhook"


def subscribers_read_nothing_sealed(plan: Plan) -> Iterator[str]:
    """What takes others' events neither reads sealed documents nor opens anything."""
    opened = {opener for key in plan["keys"].values() for opener in key["openers"]}
    sealed = {each["account"] for each in plan["grants"].values() if (each["on"], each["target"]) == _SEALED}
    for name, function in plan["functions"].items():
        of_others = function["trigger"] == "topic" and name.startswith("on-")
        if of_others and function["account"] in opened | sealed:
            yield f"{name}: a subscriber to others' events may seal and no more"


def every_purpose_can_be_opened(plan: Plan) -> Iterator[str]:
    """What is sealed can be opened by somebody, or it is lost the moment it is kept."""
    for purpose, each in plan["keys"].items():
        if each["sealers"] and not each["openers"]:
            yield f"{purpose}: sealed by {', '.join(each['sealers'])} and opened by nobody"


def patterns_mean_something(plan: Plan) -> Iterator[str]:
    """A pattern of purposes takes in one at least, or it was misspelt."""
    for name, each in plan["functions"].items():
        said = (each["environment"].get(variable, "") for variable in ("KEYFLEET_OPENS", "KEYFLEET_SEALS"))
        for purpose in filter(None, ",".join(said).split(",")):
            if not any(names([purpose], key) for key in plan["keys"]):
                yield f"{name}: no purpose is called {purpose}: correct the pattern"


def strangers_reach_only_what_is_for_them(plan: Plan) -> Iterator[str]:
    """What is open to all says so, and what is not has callers."""
    called = {each["function"] for each in plan["invokers"].values()}
    for name, each in plan["functions"].items():
        if not each["open_to_all"] and name not in called:
            yield f"{name}: nobody may call it"


def collections_are_listed(plan: Plan, root: Path) -> Iterator[str]:
    """A collection that code names is in the one list; a sealed one is in no main database."""
    listed = {each.name for each in COLLECTIONS}
    for each in named_collections(root):
        if each.collection not in listed:
            yield f"{each.place}: collection {each.collection} is not in shared/ports/collections.py: list it"
    for each in plan["indexes"].values():
        if each["collection"] not in plan["databases"][each["database"]]["collections"]:
            yield f"an index of {each['collection']}, which is not in the {each['database']} database"


def workflows_are_described(plan: Plan, root: Path) -> Iterator[str]:
    """A workflow file has a descriptor, and a descriptor a file."""
    files = {path.stem for path in (root / "workflows").glob("*.yaml")}
    for name in sorted(files - plan["workflows"].keys()):
        yield f"workflows/{name}.yaml: describe it in the fleet.yaml of the family that starts it"
    for name in sorted(plan["workflows"].keys() - files):
        yield f"workflow {name}: no such file as workflows/{name}.yaml"


_SEALED: Final = ("database", "sealed")
_RIGHTS: Final = ("KEYFLEET_ROLES", "KEYFLEET_OPENS", "KEYFLEET_SEALS", "KEYFLEET_SECRETS")
OF_PLAN: Final[tuple[Callable[[Plan], Iterator[str]], ...]] = (
    what_is_consumed_is_never_lost,
    pushes_outlast_functions,
    pushes_end_somewhere,
    adapters_end_before_their_calls_are_believed_over,
    identities_exist_and_fit,
    accounts_are_shared_by_equals,
    accounts_are_few,
    secrets_stay_with_their_vendor,
    subscribers_read_nothing_sealed,
    every_purpose_can_be_opened,
    patterns_mean_something,
    strangers_reach_only_what_is_for_them,
)
OF_TREE: Final[tuple[Callable[[Plan, Path], Iterator[str]], ...]] = (
    collections_are_listed,
    workflows_are_described,
)


def faults_of(plan: Plan) -> list[str]:
    """Return what is wrong with a plan in itself."""
    return [said for rule in OF_PLAN for said in rule(plan)]


def faults_in(plan: Plan, root: Path) -> list[str]:
    """Return what is wrong between a plan and the tree it was made of."""
    return [said for rule in OF_TREE for said in rule(plan, root)]
