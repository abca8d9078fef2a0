"""Reconcile: locks are compared with the ledger; what differs is settled, or waits for a person's word."""
