"""Durable executions of the workflow files: journalled at each outcome, resumed after a crash."""
