"""A desk's encoders: what is plugged in, by which name, and who holds it."""
