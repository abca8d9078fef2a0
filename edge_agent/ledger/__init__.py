"""What a desk remembers by itself: keys, what was begun, what the cloud is to hear; encrypted on disk."""
