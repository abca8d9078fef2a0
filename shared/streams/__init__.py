"""Streams of events: any aggregate announces, in order, and what a crash left untold is swept."""
