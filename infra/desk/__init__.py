"""A desk's machine: its service, its encoders, and how a release for it is made."""
