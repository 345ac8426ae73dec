"""The verbs: each use case in one short file, and the only place where stages meet."""
