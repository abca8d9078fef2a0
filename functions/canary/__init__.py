"""Vendors' next builds on trial: people begin and end them, a saga sees to them."""
