"""Every event we produce or consume: one model per versioned subject, and the catalogue that lists them."""
