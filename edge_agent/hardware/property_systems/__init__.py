"""Hotel software and lock systems that speak over a line: FIAS, and Salto's PMS Industry Standard."""
