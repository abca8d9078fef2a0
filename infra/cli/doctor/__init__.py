"""`keyfleet doctor`: looks at everything a fleet stands on, and names the remedy for what is wrong."""
