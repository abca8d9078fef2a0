"""Encoders that speak USB HID: feature reports of a known device, and a byte stream in plain reports."""
