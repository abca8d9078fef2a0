"""The console's screens, by what they are about."""
