"""The composition root: where settings become services."""

from bob.engine.root import Engine as Engine
from bob.engine.root import processors as processors
