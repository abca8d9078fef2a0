"""The standard library of the language, one module per family."""
