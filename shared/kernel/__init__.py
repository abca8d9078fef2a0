"""Settings, logging and token checks: importable by everything above the domain."""
