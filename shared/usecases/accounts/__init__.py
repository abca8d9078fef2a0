"""Vendors' accounts of properties: replaced with an overlap, and shown to people in an emergency."""
