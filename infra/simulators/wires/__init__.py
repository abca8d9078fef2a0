"""The wires between a desk and its devices: a serial port and a TCP port, at the pace of the real ones."""
