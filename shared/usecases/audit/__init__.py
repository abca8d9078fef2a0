"""Audit: each tenant's log is closed day by day, shown, proven, and in the end forgets whom it is about."""
