"""Making, revoking and replacing keys at a desk that is alone (A §9)."""
