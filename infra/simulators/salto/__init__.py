"""A simulator of Salto: its platform, and the doors behind it."""
