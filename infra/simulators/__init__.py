"""Wire-level fakes of lock vendors: they share no code with the product, nor its errors."""
