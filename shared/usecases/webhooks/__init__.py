"""Vendors call us: each webhook is proven, kept before anything acts on it, and applied once."""
