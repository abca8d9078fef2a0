"""Catchers: a mail server, an SMS provider and a push service that deliver to an outbox on this machine."""
