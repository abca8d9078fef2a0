"""The document store on SQLite."""

from infra.local.documents.drawers import schema
from infra.local.documents.store import SCHEMA, SqliteDocuments

__all__ = ["SCHEMA", "SqliteDocuments", "schema"]
