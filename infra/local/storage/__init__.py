"""The durable core: one SQLite file, one writer, group commit, a high-water mark."""
