"""The telemetry of document C: what the backoffice tells of itself, apart from the domain's events."""
