"""The archive that Cloud Functions and Cloud Run are built of: what is deployed, and nothing else."""
