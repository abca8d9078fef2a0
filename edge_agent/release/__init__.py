"""Releases of the agent: offered under a signature, put in place whole, and taken back."""
