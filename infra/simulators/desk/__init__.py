"""The hardware of a front desk without the hardware: cards, encoders, door locks, property systems, wires."""
