"""Encoders of key cards, as a desk sees them: on serial lines, CCID and HID."""
