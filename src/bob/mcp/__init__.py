"""The face for agents: the Model Context Protocol."""
