"""Who tried which door: heard from the vendor, traced to its key, kept and told once, and judged."""
