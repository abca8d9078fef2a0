"""What guests ask and are told: links, sessions, their keys' secrets, messages and what became of those."""
