"""Upkeep: what is due is tended, what was given up is told and closed."""
