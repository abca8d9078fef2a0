"""Documents on Firestore."""

from shared.gcp.documents.store import FirestoreDocuments

__all__ = ["FirestoreDocuments"]
