"""Locks as things: how they are, whether they are the ones we think, and when they come and go."""
