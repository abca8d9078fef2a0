"""The API's routes as tools of the Model Context Protocol."""
