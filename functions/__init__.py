"""The deployables, one folder per family."""
