"""The library every function imports."""
