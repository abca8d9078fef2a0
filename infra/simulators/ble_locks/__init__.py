"""Door locks that a desk speaks to by Bluetooth, and the radio and the daemon in between."""
