"""The document store on SQLite."""

from infra.local.documents.store import SCHEMA, SqliteDocuments

__all__ = ["SCHEMA", "SqliteDocuments"]
