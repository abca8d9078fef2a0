"""Generic Wiegand's locks: the only code that holds its secrets."""
