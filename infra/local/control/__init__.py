"""The control plane: what operators and the command line ask of a running fleet."""
