"""Counts what is on the shelf."""

import json


# The limit below which we order.
LIMIT = 5


class Shelf:
    """A shelf with boxes."""

    @property
    def is_low(self) -> bool:
        return len(self.boxes) < LIMIT


def load(path):
    """Reads a shelf."""
    with open(path) as stream:
        return json.load(stream)
