"""Mock locks (A §15.2): a vendor that does as it is told, for tests, benches and rehearsals."""
