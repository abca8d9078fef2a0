"""Bulk revocation: all keys of a property, or of a lock, end in pages, by one that may die anywhere."""
