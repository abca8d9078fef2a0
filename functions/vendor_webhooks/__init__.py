"""Vendors' webhooks, once they are kept: their receivers stand with their vendors' adapters."""
