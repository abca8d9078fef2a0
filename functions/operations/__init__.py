"""What operators look at and set right."""
