"""A strict, deterministic interpreter of the Google Cloud Workflows language, without any I/O of its own."""
