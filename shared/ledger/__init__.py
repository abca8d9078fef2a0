"""The ledger: keys, grants and reservations as documents, each change saved together with its events."""
