"""What keeps the platform honest: the probe."""
