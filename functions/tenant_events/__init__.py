"""What tenants tell us about themselves."""
