"""The HTTP face: what OpenAI's clients ask, over the services."""
