"""How a function decodes, finds its platform and responds."""
