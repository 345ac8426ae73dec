"""The composition root: where settings become services."""

from bob.app.engine import Engine as Engine
from bob.app.models import processors as processors
