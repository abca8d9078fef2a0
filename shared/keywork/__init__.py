"""The engine: one attempt at a key, whatever is to become of it at its locks."""
