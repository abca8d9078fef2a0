"""The one manifest: what is deployed, how it is triggered, who may call it, what it may open."""
