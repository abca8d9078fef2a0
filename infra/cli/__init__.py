"""The keyfleet command."""
