"""The whole embedded cloud on one thread, with chance from a seed and time that jumps to the next timer."""
