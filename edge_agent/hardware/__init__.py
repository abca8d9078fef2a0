"""Encoders, cards, door locks and property systems as they speak; the only place that touches hardware."""
