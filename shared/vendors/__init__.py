"""One package a vendor; they do not know each other."""
