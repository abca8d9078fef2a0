"""What becomes of bookings: one small function per reservation subject (B §3)."""
