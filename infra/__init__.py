"""What runs the fleet: the embedded cloud, the simulators, the command line."""
