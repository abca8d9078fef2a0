"""`keyfleet demo`: a stay from booking to check-out on a bad day, as real processes."""
