"""The sandbox: what a sample hotel lets its guests of the API try, on simulated doors alone."""
