"""The cloud's jobs at this desk: pulled, written once, answered until the answer is heard."""
