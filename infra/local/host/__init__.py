"""The function host: the whole fleet in one process, on one port, through the framework's own loader."""
