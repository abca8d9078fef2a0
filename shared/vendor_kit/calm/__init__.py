"""Calm towards vendors: limits, breakers and lines that all processes share, the most urgent first."""
