"""The front desks' way in: pairing, certificates, arrivals, jobs, and what they did alone."""
