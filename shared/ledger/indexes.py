"""The questions that are asked of the ledger: said apart from what answers them, which takes long to load."""

from typing import Final

from shared.ports.documents import Index

DUE: Final = Index("credentials", (), "due_at", swept=True, shards=8)
"""Keys to which something is owed, the longest overdue first."""
OF_CREDENTIAL: Final = Index("grants", ("credential_id",), "device_id")
"""All grants a key ever had."""
AT_DEVICE: Final = Index("grants", ("device_id",), "until")
"""The grants at a lock that are not over, by the end of their stay."""
OF_JOB: Final = Index("grants", ("job",), "device_id")
"""The grants that wait for the end of a vendor's job."""
WITH_PIN: Final = Index("grants", ("pin",), "until")
"""The grants that are not over and open by a PIN, by its blind index, which says at which property."""
ANSWERED: Final = Index("grants", ("grant.property_id", "grant.vendor"), "answered")
"""The grants of a property at a vendor, by when it last did what it was asked, the latest first."""
DUE_STAYS: Final = Index("reservations", (), "due_at", swept=True, shards=8)
"""Stays for which something is planned, the longest overdue first."""
COMING: Final = Index("grants", ("grant.property_id",), "starts")
"""The grants of a property, by the beginning of their stay."""
STAYS_AT: Final = Index("reservations", ("property_id",), "arrives")
"""A property's stays, as their guests arrive."""
STAYS_OF: Final = Index("reservations", ("guest_id",), "arrives")
"""One guest's stays."""
LIVE_AT: Final = Index("credentials", ("property_id",), "live")
"""A property's keys that are not over, by the end of their time."""
LIVE_OF_STAFF: Final = Index("credentials", ("staff_id",), "live")
"""The keys of a member of staff that are not over."""
DEVICES: Final = Index("devices", ("property_id",), "id")
"""A property's locks."""
LOCKS_NAMED: Final = Index("devices", ("vendor", "vendor_device"), "id")
"""A company's locks of one vendor by one name, wherever they are mapped."""
KEYS_AT: Final = Index("credentials", ("of_property",), "newest")
"""All keys a property ever had, newest first."""
KEYS_OF_STAY: Final = Index("credentials", ("of_stay",), "newest")
"""All keys a stay ever had, newest first."""
WAITING: Final = Index("credentials", (), "waiting")
"""The keys that are yet to be made, or to become what they were changed to, as their guests arrive."""
LEAVING: Final = Index("grants", (), "leaving")
"""What is to go from its lock and has not gone, the longest first."""
KEYLESS: Final = Index("reservations", (), "keyless")
"""Confirmed stays that name no key: all were ended, and no other could be requested."""
GONE: Final = Index("grants", ("gone_as",), "gone_at")
"""The grants that are over, by the name that they had at their vendor."""
FINDINGS: Final = Index("findings", (), "open")
"""What was found at locks that is not as the ledger has it, and nobody let stand, the oldest first."""
ADOPTED: Final = Index("findings", (), "adopted")
"""What was found at locks, and somebody let stand."""
FOUND_AT: Final = Index("findings", ("at_lock",), "found_at")
"""What was found at a lock, and is not settled."""
COMPARISONS: Final = Index("comparisons", (), "began_at")
"""How each property's locks of one vendor were compared with the ledger last."""
DESKS_AT: Final = Index("desks", ("property_id",), "paired")
"""A property's front desks, as they were paired."""
LOCAL_KEYS: Final = Index("desk_local_keys", ("key",), "local")
"""The keys of desks that became one key."""
TASKS: Final = Index("manual_tasks", (), "raised_at")
"""What somebody must do by hand, the oldest first."""
RATES: Final = Index("rates", (), "at")
"""What was taken of each application's limit, under the tenant that is nobody's."""
QUOTA: Final = Index("quota_plans", (), "month_ends")
"""What each application's month comes to, under the tenant that is nobody's."""
DUE_BULK: Final = Index("bulk_jobs", (), "due_at", swept=True)
"""Bulk revocations that somebody must look at, for nobody works on them."""
BULK: Final = Index("bulk_jobs", (), "newest")
"""Bulk revocations, newest first."""
DUE_MASTER_KEYS: Final = Index("master_keys", (), "due_at", swept=True)
"""Master keys that somebody must look at, the longest overdue first."""
MASTER_KEYS_OF: Final = Index("master_keys", ("of_staff",), "live")
"""The master keys of a member of staff that are not over."""
MASTER_KEYS_AT: Final = Index("master_keys", ("of_property",), "ends")
"""All master keys of a property, those that last longest first."""
INTEGRATORS_OF: Final = Index("integrators", (), "id")
"""A tenant's service accounts, the oldest first."""
LISTENERS_OF: Final = Index("listeners", (), "id")
"""A tenant's listeners, the oldest first."""
SENDINGS_TO: Final = Index("sendings", ("listener",), "newest")
"""What was sent to a listener, or is to be, the newest first."""
DUE_SENDINGS: Final = Index("sendings", (), "due_at", swept=True, shards=4)
"""What is to be sent to listeners, or once more, the longest overdue first."""
TASKS_OF: Final = Index("staff_tasks", ("assigned_to",), "opened")
"""The open tasks of a member of staff."""
ROOMS: Final = Index("rooms", ("property_id",), "id")
"""A property's rooms."""
PROPERTIES: Final = Index("properties", (), "id")
"""A tenant's properties."""
DAYS: Final = Index("outbox", (), "day")
"""What was told, day by day in UTC; of a day, stream by stream and in order, for that is how ids sort."""
ENTRIES_OF_GUEST: Final = Index("audit_streams", ("alias",), "date")
"""The streams of the audit log that are about a guest, by their alias."""
ENTRIES_OF_STAY: Final = Index("audit_streams", ("stay",), "date")
"""The streams of the audit log that are about a stay."""
ENTRIES_AT: Final = Index("audit_streams", ("property_id",), "ends")
"""The streams of the audit log of a property's keys, by the time until which each may open."""
IDLE_STREAMS: Final = Index("audit_streams", (), "idle")
"""Streams whose rows and keys are still kept besides the log, by the day they last had an entry."""
SUBJECTS_DUE: Final = Index("audit_subjects", (), "review")
"""Guests under their aliases, by the day on which to look whether their time is over."""
EXPIRIES: Final = Index("audit_expiries", (), "at")
"""Guests whose time is over, until the log says so and their keys are destroyed."""
DUE_DISCLOSURES: Final = Index("dsar_log", (), "due_at", swept=True)
"""What of the audit log was shown to somebody, which nobody is known to have told."""
REQUESTS: Final = Index("dsar_log", (), "at")
"""What guests asked of us about themselves, and what became of it."""
DUE_NOTICES: Final = Index("notices", (), "due_at", swept=True)
"""What guests are to be told, and is to be looked at again."""
NOTICES_OF_STAY: Final = Index("notices", ("of_stay",), "newest")
"""What a stay's guest was told, the newest first."""
DUE_ACCOUNTS: Final = Index("account_rotations", (), "due_at", swept=True)
"""Vendors' accounts that somebody must look at: aged ones, and those that wait for somebody."""
ACCOUNTS: Final = Index("account_rotations", (), "in_use")
"""Vendors' accounts, those that are used longest first."""
DUE_DEEDS: Final = Index("account_deeds", (), "due_at", swept=True)
"""What was done about vendors' accounts, which nobody is known to have told."""
DUE_CANARIES: Final = Index("canaries", (), "due_at", swept=True)
"""Vendors' next builds on trial of which nobody has looked at the figures for long."""
CANARIES: Final = Index("canaries", (), "newest")
"""Vendors' next builds on trial, and those that were, the newest first."""
TRIALS: Final = Index("canary_trials", ("turn",), "began")
"""What a vendor's next build was handed in one turn, the oldest first."""
DUE_GLASS: Final = Index("break_glass", (), "due_at", swept=True)
"""Broken glass that the clock closes."""
GLASS: Final = Index("break_glass", (), "newest")
"""Broken glass, the newest first."""
TENANTS: Final = Index("tenant", ("data_residency",), "id", swept=True)
"""The tenants of a cell."""
DUE_WEBHOOKS: Final = Index("webhooks", (), "due_at", swept=True)
"""Webhooks that nobody applied, or told of."""
WAITING_WEBHOOKS: Final = Index("webhooks", ("site",), "waiting")
"""The webhooks of one property's locks of a vendor that wait, those first that nobody looked at for long."""
DUE_ATTEMPTS: Final = Index("attempts", (), "due_at", swept=True)
"""Attempts at doors that nobody is known to have told of."""
AT_DOOR: Final = Index("attempts", ("device_id",), "newest")
"""The attempts at a door, newest first."""
OF_KEY: Final = Index("attempts", ("of_key",), "newest")
"""The attempts with a key, newest first."""
AT_DOORS_OF: Final = Index("attempts", ("property_id",), "newest")
"""The attempts at a property's doors, newest first."""
DUE_DEVICES: Final = Index("device_health", (), "due_at", swept=True)
"""Locks of which something happened that nobody is known to have told."""
DEVICES_AT: Final = Index("device_health", ("site",), "rank")
"""What is kept of one property's locks of a vendor, besides where they hang."""
CHALLENGES: Final = Index("challenges", ("pin",), "rank")
"""The challenges of locks, by the blind indexes of their codes."""
ANOMALIES_AT: Final = Index("anomalies", ("property_id",), "newest")
"""What somebody should look at in the attempts at a property's doors, newest first."""
ANOMALIES: Final = Index("anomalies", (), "newest")
"""What somebody should look at in the attempts at doors, newest first."""
ARRIVED_AT: Final = Index("backoffice_arrived", ("property_id",), "since")
"""The stays of a property that have begun, as reception told."""
TASKS_ON: Final = Index("backoffice_tasks", ("board_at",), "at")
"""What is to be done at a property, board by board, by when it was last heard of."""
BREAKERS: Final = Index("breakers", (), "changed_at")
"""How each vendor's application is, by when that changed last."""
ALERTS_AT: Final = Index("backoffice_alerts", ("waits_at",), "since")
"""A hotel's alerts that nobody has resolved, the oldest first."""
SUGGESTIONS_AT: Final = Index("backoffice_suggestions", ("waits_at",), "since")
"""A hotel's suggestions that nobody has decided, the oldest first."""
DUE_SESSIONS: Final = Index("backoffice_sessions", (), "due_at", swept=True, shards=2)
"""Open sessions, by when they expire unless they are used."""
OPEN_OF: Final = Index("backoffice_sessions", ("open_of",), "opened_at")
"""An operator's open sessions."""
NEWEST_TOLD: Final = Index("telemetry", ("subject", "property_id"), "occurred_at")
"""What was told of a property, subject by subject, as it occurred."""
DUE_TELEMETRY: Final = Index("telemetry_untold", (), "due_at", swept=True, shards=4)
"""Telemetry that was kept and nobody is known to have published."""
FIGURES_AT: Final = Index("day_figures", ("property_id",), "day")
"""A property's days, the oldest first."""
