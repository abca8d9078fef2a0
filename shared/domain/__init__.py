"""What a key is and what may happen to it: standard library only."""
