"""The API of staff, their front-desk programs and integrators."""
