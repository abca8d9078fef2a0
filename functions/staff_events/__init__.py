"""What becomes of staff: one small function per subject of shifts, tasks and accounts (B §3)."""
