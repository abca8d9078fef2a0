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
    Collection("account_callbacks", "whom an account's news wakes, sealed", sealed=True, expires=True),
    Collection("account_deeds", "what was done about vendors' accounts, and whether it is told"),
    Collection("account_owners", "which property a vendor's account belongs to, by a digest"),
    Collection("account_rotations", "since when each vendor's account is used, and how its next one comes"),
    Collection("alerts", "the last that somebody of a tenant was woken for"),
    Collection("arrivals", "the key that a company's move is sealed for, sealed", sealed=True, expires=True),
    Collection("asked_keys", "which key an idempotency key made, of those asked for whole", expires=True),
    Collection("api_requests", "changes that people asked for, by their keys, and the answers", expires=True),
    Collection("anomalies", "what in the attempts at doors somebody should look at"),
    Collection("attempts", "who tried which door, as far as anybody knows"),
    Collection("audit_expiries", "guests whose time in the audit log is over, by their aliases"),
    Collection("audit_keys", "what audit logs and their witness sign with, sealed", sealed=True),
    Collection("audit_logs", "each audit log as it was closed last"),
    Collection("audit_settings", "how long a tenant's audit is kept, and who witnesses the cell's"),
    Collection("audit_streams", "where each stream of events stands in the audit log"),
    Collection("audit_subjects", "guests by their aliases, each sealed, with holds"),
    Collection("backoffice_alerts", "alerts that wait for somebody of a hotel", expires=True),
    Collection("backoffice_feeds", "the last that open desktops of a hotel or a person were told"),
    Collection("backoffice_heard", "events of neighbours that were taken within a day", expires=True),
    Collection("backoffice_preferences", "how each operator likes the backoffice"),
    Collection("backoffice_sessions", "who is signed in at which desktop", expires=True),
    Collection("backoffice_suggestions", "what models suggested to a hotel", expires=True),
    Collection("backoffice_tasks", "what housekeeping and maintenance have to do", expires=True),
    Collection("backoffice_arrived", "whose stays have begun, as reception told", expires=True),
    Collection("break_glass", "for which incidents people were shown a vendor's account"),
    Collection(
        "backup_codes", "the code that each set of rooms has in reserve, and to whom it was handed out"
    ),
    Collection("breakers", "how each vendor's application is, and what is yet to be told of it"),
    Collection("bulk_jobs", "how far each revocation of many keys is"),
    Collection("bulk_pages", "keys that were revoked with many, and are yet to go from their locks"),
    Collection("canaries", "each vendor's next build on trial: where, how far, and how it did"),
    Collection("canary_trials", "what a next build was handed, and when it was done", expires=True),
    Collection("challenge_codes", "codes to be typed at a door, sealed", sealed=True, expires=True),
    Collection("challenges", "which lock is to be proven at its door", expires=True),
    Collection("comparisons", "how each property's locks of a vendor were compared with the ledger last"),
    Collection("console_codes", "codes that open the console once, by their digests", expires=True),
    Collection("console_endings", "until when a person's consoles are over", expires=True),
    Collection("console_sessions", "browsers at the console, by their cookies' digests", expires=True),
    Collection("console_views", "the views of the console that people saved"),
    Collection("credentials", "keys, each with its saga and what is due of it"),
    Collection("day_counts", "up to which day each tenant's days were counted"),
    Collection("day_figures", "what each day brought to a hotel's keys, in numbers", expires=True),
    Collection("departures", "whose carried keys are to be gone", expires=True),
    Collection("desk_cards", "the cards that were written for each door", expires=True),
    Collection("desk_invitations", "codes by which a machine may become a desk, hashed", expires=True),
    Collection("desk_jobs", "cards to be written at a desk", expires=True),
    Collection("desk_keys", "what desks' certificates, arrivals and cards are signed with", sealed=True),
    Collection("desk_local_keys", "which key a key of a desk became", expires=True),
    Collection("desk_nonces", "the requests that desks made of late", expires=True),
    Collection("desk_orders", "what clerks ordered by their desks, and what came of it", expires=True),
    Collection("desk_presence", "when each property's desk was heard of last"),
    Collection("desk_rows", "what desks told that they did alone, as they signed it"),
    Collection("desk_settings", "which of a tenant's offline certificates count no more"),
    Collection("desk_staff", "who may work at a property's desks, their PINs hashed"),
    Collection("desks", "front-desk machines, their keys and how far each was heard"),
    Collection("device_health", "how locks are, and what of that was told"),
    Collection("devices", "locks and what they can do"),
    Collection("dsar_log", "what guests asked of us about themselves"),
    Collection("finding_refs", "vendors' numbers of keys nobody knows, sealed", sealed=True, expires=True),
    Collection("findings", "what at locks is not as the ledger has it, until that is settled"),
    Collection("grants", "keys at one lock each"),
    Collection("hearings", "when each property's doors of a vendor were asked last, and since when"),
    Collection("index_keys", "the keys of blind indexes, wrapped by Cloud KMS", sealed=True),
    Collection("guest_apps", "the booking apps that open guests' links"),
    Collection(
        "guest_accounts", "where each vendor sends keys on phones, sealed for its adapter", expires=True
    ),
    Collection("guest_contacts", "how guests can be reached, sealed", expires=True),
    Collection("guest_devices", "where guests' apps take pushes, sealed", expires=True),
    Collection("guest_guesses", "how often unknown links of guests were tried lately", expires=True),
    Collection("guest_keys", "what makes a guest's alias, sealed", sealed=True),
    Collection("guest_renewals", "new codes that guests asked for lately", expires=True),
    Collection("guest_sessions", "guests who have signed in, by a digest", expires=True),
    Collection("guest_tokens", "links that guests were sent, by a digest", expires=True),
    Collection("integrators", "service accounts of a tenant, their keys hashed"),
    Collection("key_secrets", "PINs, tokens and vendors' references, sealed", sealed=True, expires=True),
    Collection("keys_under_way", "which carried key may yet be made at a door", expires=True),
    Collection("leases", "who may do what only one may", expires=True),
    Collection("listener_secrets", "what events to each listener are signed with, sealed", sealed=True),
    Collection("listeners", "addresses that a tenant has events sent to"),
    Collection("manual_tasks", "what somebody must do by hand"),
    Collection("master_keys", "what staff may open, each with what is due of it"),
    Collection("message_settings", "how a hotel writes to its guests"),
    Collection("notices", "what guests are told, and how far it came on each way", expires=True),
    Collection("next_accounts", "accounts that are to be used next, sealed", sealed=True, expires=True),
    Collection("nudges", "the last ring at each desk", expires=True),
    Collection("opened_accounts", "accounts sealed to who was to see them", sealed=True, expires=True),
    Collection("outbox", "the event log: what was told, byte for byte"),
    Collection("pin_reveals", "when each member of staff looked at PINs within the hour", expires=True),
    Collection("place_plans", "when somebody was told that a hotel's locks will be full"),
    Collection("policies", "which kinds of key a tenant wants"),
    Collection("premises", "each hotel with its locks and policy, copied into one document"),
    Collection("probe_callbacks", "where a probe is waited for, sealed", sealed=True, expires=True),
    Collection("probes", "how often a probe was visited", expires=True),
    Collection("properties", "hotels"),
    Collection("quota_plans", "what each vendor's application is due to be asked in its month"),
    Collection("rates", "the calls taken of each vendor's limit lately", expires=True),
    Collection("redeemed_artifacts", "handles of keys that were redeemed, by a digest", expires=True),
    Collection("reservations", "stays"),
    Collection("rooms", "rooms"),
    Collection("rounds", "how far each round through all houses came in its hour"),
    Collection("sendings", "events on their way to listeners, and how far each came", expires=True),
    Collection("shifts", "what was heard of each shift", expires=True),
    Collection("short_messages", "which notice an SMS tells of, by its centre's name for it", expires=True),
    Collection("staff_tasks", "what staff have to do, and in which rooms", expires=True),
    Collection("stopped_people", "who may sign in no more"),
    Collection("suppressions", "addresses that take no messages, by a blind index", expires=True),
    Collection("tenant", "the tenant, and the cell it lives in"),
    Collection("telemetry", "what the backoffice told, each for as long as its class says", expires=True),
    Collection("telemetry_flags", "the shares of telemetry that differ from the table for a while"),
    Collection("telemetry_peppers", "what telemetry's hashes are keyed with, sealed", sealed=True),
    Collection("telemetry_untold", "telemetry kept with what it tells of, until it is published"),
    Collection("vendor_gateways", "which lock hangs at which gateway", expires=True),
    Collection("vendor_prices", "what each vendor takes of a company, by its contract"),
    Collection("vendor_tokens", "vendors' access tokens, sealed", sealed=True, expires=True),
    Collection("webhooks", "what vendors told by themselves, without any secret", expires=True),
)


def collections_in(*, sealed: bool) -> Iterator[Collection]:
    """Yield the collections of the sealed database, or of the main one."""
    return (each for each in COLLECTIONS if each.sealed is sealed)
