"""The ports on Google Cloud. Every Google client is imported inside the function that first needs it."""
