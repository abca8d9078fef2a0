"""What every simulator of a lock vendor has: its server, its control plane, its clock, faults and journal."""
