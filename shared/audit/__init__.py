"""The tamper-evident log: tree, proofs, checkpoints and packs, in formats that strangers' tools read."""
