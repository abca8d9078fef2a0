"""`keyfleet sim`: simulated lock vendors, and the doors behind them, to play with."""
