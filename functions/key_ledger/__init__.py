"""Saga steps that touch only our own ledger."""
