"""The desk's agent: one process that holds the ledger and the encoders, and keeps in touch with the cloud."""
