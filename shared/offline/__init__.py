"""What lets a desk work without the network, and bounds it: certificates and arrivals, all signed."""
