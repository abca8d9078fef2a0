"""Terraform's files, read and checked without Terraform: grammar, the provider's schema, names, pages."""
