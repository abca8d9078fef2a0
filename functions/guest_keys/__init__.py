"""What guests see of their keys: the page, and what a tenant's own booking service asks for them."""
