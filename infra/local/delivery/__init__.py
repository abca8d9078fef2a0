"""What bus, task queue and schedules share: one authenticated POST, its outcome, and when to try again."""
