"""The API's description as a page of this machine: every asset is ours, and nothing comes from elsewhere."""
