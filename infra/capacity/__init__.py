"""What a region of many properties asks of Google, found by playing it: `keyfleet capacity`."""
