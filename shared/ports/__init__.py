"""What the fleet needs from a platform, as protocols."""
