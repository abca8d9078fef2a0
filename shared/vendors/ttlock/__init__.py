"""TTLock: passcodes, cards and eKeys through the Open Platform, API v3."""
