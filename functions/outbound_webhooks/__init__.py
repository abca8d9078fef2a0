"""Events that a tenant has sent somewhere: heard on the bus, signed, and sent."""
