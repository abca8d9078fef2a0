"""The control plane: what a test, a demo or an operator does to the simulated world."""
