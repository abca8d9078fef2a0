"""Vendors' next builds on trial: begun, handed more step by step, rolled back where they do worse."""
