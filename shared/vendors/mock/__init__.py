"""The mock vendor (A §15.2): locks in memory that fail when they are told to."""
