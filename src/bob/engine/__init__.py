"""The composition root: where settings become services."""

from bob.engine.models import processors as processors
from bob.engine.root import Engine as Engine
