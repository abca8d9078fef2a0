"""Every collection of documents there is, and in which of the two databases: the one list.

A gate (`infra/codegen/fleet_plan.py`) finds what code names and this list does not. Terraform sets fields by
it; what is sealed lies in a database of its own, which few functions may read.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Collection:
    """Documents of one kind: in the sealed database or the main one, for ever or for a time."""

    name: str
    holds: str
    sealed: bool = False
    expires: bool = False


COLLECTIONS: Final = (
    Collection("access", "who may sign in at a tenant: its issuers"),
    Collection("account_owners", "which property a vendor's account belongs to, by a digest"),
    Collection("alerts", "the last that somebody of a tenant was woken for"),
    Collection("anomalies", "what in the attempts at doors somebody should look at"),
    Collection("attempts", "who tried which door, as far as anybody knows"),
    Collection("audit_expiries", "guests whose time in the audit log is over, by their aliases"),
    Collection("audit_keys", "what audit logs and their witness sign with, sealed", sealed=True),
    Collection("audit_logs", "each audit log as it was closed last"),
    Collection("audit_settings", "how long a tenant's audit is kept, and who witnesses the cell's"),
    Collection("audit_streams", "where each stream of events stands in the audit log"),
    Collection("audit_subjects", "guests by their aliases, each sealed, with holds"),
    Collection("breakers", "how each vendor's application is, and what is yet to be told of it"),
    Collection("comparisons", "how each property's locks of a vendor were compared with the ledger last"),
    Collection("credentials", "keys, each with its saga and what is due of it"),
    Collection("departures", "whose carried keys are to be gone", expires=True),
    Collection("desk_cards", "the cards that were written for each door", expires=True),
    Collection("desk_jobs", "cards to be written at a desk", expires=True),
    Collection("desk_presence", "when each property's desk was heard of last"),
    Collection("device_health", "how locks are, and what of that was told"),
    Collection("devices", "locks and what they can do"),
    Collection("dsar_log", "what guests asked of us about themselves"),
    Collection("finding_refs", "vendors' numbers of keys nobody knows, sealed", sealed=True, expires=True),
    Collection("findings", "what at locks is not as the ledger has it, until that is settled"),
    Collection("grants", "keys at one lock each"),
    Collection("hearings", "when each property's doors of a vendor were asked last, and since when"),
    Collection("index_keys", "the keys of blind indexes, wrapped by Cloud KMS", sealed=True),
    Collection("guest_contacts", "how guests can be reached, sealed", expires=True),
    Collection("guest_guesses", "how often unknown links of guests were tried lately", expires=True),
    Collection("guest_keys", "what makes a guest's alias, sealed", sealed=True),
    Collection("guest_sessions", "guests who have signed in, by a digest", expires=True),
    Collection("guest_tokens", "links that guests were sent, by a digest", expires=True),
    Collection("integrators", "service accounts of a tenant, their keys hashed"),
    Collection("key_secrets", "PINs, tokens and vendors' references, sealed", sealed=True, expires=True),
    Collection("leases", "who may do what only one may", expires=True),
    Collection("manual_tasks", "what somebody must do by hand"),
    Collection("nudges", "the last ring at each desk", expires=True),
    Collection("outbox", "the event log: what was told, byte for byte"),
    Collection("policies", "which kinds of key a tenant wants"),
    Collection("premises", "each hotel with its locks and policy, copied into one document"),
    Collection("probe_callbacks", "where a probe is waited for, sealed", sealed=True, expires=True),
    Collection("probes", "how often a probe was visited", expires=True),
    Collection("properties", "hotels"),
    Collection("rates", "the calls taken of each vendor's limit lately", expires=True),
    Collection("redeemed_artifacts", "handles of keys that were redeemed, by a digest", expires=True),
    Collection("reservations", "stays"),
    Collection("rooms", "rooms"),
    Collection("stopped_people", "who may sign in no more"),
    Collection("tenant", "the tenant, and the cell it lives in"),
    Collection("vendor_gateways", "which lock hangs at which gateway", expires=True),
    Collection("vendor_keys", "the specification's LockPort keeps its keys here, sealed", sealed=True),
    Collection("vendor_tokens", "vendors' access tokens, sealed", sealed=True, expires=True),
    Collection("webhooks", "what vendors told by themselves, without any secret", expires=True),
)


def collections_in(*, sealed: bool) -> Iterator[Collection]:
    """Yield the collections of the sealed database, or of the main one."""
    return (each for each in COLLECTIONS if each.sealed is sealed)
