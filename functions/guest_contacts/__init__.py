"""How guests can be reached: kept sealed, beside the path of their keys."""
