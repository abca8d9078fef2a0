"""The fleet on Google's emulators: the ports of Google Cloud on this machine, without an account."""
