"""Every kind that its module writes field by field, and those that nobody reads."""

from tests.support.by_hand import access, audits, cells, desks, vendors

KINDS = {**desks.KINDS, **access.KINDS, **audits.KINDS, **cells.KINDS, **vendors.KINDS}
COLLECTIONS = {collection for collection, _ in KINDS}
UNREAD = {
    "backoffice_preferences": "an earlier release kept them; what is left is only ever deleted, unread",
    "nudges": "a listener hears that a ring was written, and never looks at what it says",
    "telemetry": "it is kept to be counted by whoever exports it: no code of ours reads it again",
}
"""Why there is nothing to find out by a golden file."""
