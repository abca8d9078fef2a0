"""A strict fake of the TTLock Open Platform v3, and of the doors behind it."""
