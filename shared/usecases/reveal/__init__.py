"""The one look at a PIN in plain digits, counted and noted before it is given."""
