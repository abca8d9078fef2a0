"""Read models: what operators, desks and consoles are shown, over documents and declared indexes alone."""
