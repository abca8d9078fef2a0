"""The platform's operations, one file per resource."""
