"""The desk: what runs at a front desk, beside its encoder and its locks, with or without the network."""
