"""The embedded cloud: every port on one SQLite file, in one process."""
