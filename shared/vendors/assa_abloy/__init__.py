"""Assa Abloy: access grants at Vostio, by dialect of the property's account."""
