"""What the backoffice tells of itself (document C): which share, by whose account."""
