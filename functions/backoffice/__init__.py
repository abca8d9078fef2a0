"""The backoffice (document C): its telemetry, its API for desktops, its streams and its pages."""
