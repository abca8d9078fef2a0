"""What the fleet can do on this machine, beside what the machine itself can do."""
