"""`python -m edge_agent`, the same as `keyfleet-edge`."""

from edge_agent.command import main

if __name__ == "__main__":
    main()
