"""What desk and cloud tell each other when they can: arrivals one way, what was done alone the other."""
