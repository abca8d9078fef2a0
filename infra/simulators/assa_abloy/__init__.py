"""A simulator of Assa Abloy: its platform, and the doors behind it."""
