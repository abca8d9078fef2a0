"""TTLock door locks, version 3 of their language, over Bluetooth Low Energy."""
