"""What the cloud does for front desks: pairs them, hands them work and arrivals, hears what they did."""
