"""A hotel to try things on."""
