"""Hotels: who is a tenant of this cell, and how each property is set up."""
