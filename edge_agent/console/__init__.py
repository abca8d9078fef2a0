"""The clerk's pages, on this machine alone: made here, from words and a port, with no hardware and no key."""
