"""Hotel software and lock systems, as a desk speaks to them in the hotel's own network."""
