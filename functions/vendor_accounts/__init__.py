"""Vendors' accounts: their rotation, and what is shown of them in an emergency."""
