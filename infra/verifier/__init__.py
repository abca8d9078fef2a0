"""The verifier of packs: one file that imports nothing of keyfleet, to be handed out and read."""
