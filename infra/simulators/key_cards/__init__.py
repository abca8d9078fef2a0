"""The cards that encoders write, and a door without network that reads them."""
