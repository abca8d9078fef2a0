"""What ties a desk to its property: keys that are made on the device and never leave it."""
