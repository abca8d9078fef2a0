"""The desk's line to the cloud: every request signed, every failure told apart."""
