"""Stays: what a booking's events ask for, and which keys they make or end."""
