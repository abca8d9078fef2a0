"""Guests are told of their keys: what becomes a message, how it goes, and what is heard of it."""
