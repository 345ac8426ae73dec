"""Vectors of queries, remembered: the same are asked again, and feedback is compared with each of them."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import TYPE_CHECKING

from bob.core.protocols import Embedder

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

REMEMBERED = 2_000
"""Queries whose vectors are kept, those used last: 3 MB at 384 dimensions."""


class QueryVectors:
    """Embeds queries, each once. Safe to share between threads."""

    def __init__(self, embedder: Embedder, remembered: int = REMEMBERED) -> None:
        self._embedder = embedder
        self._remembered = remembered
        self._known: OrderedDict[str, npt.NDArray[np.float32]] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, query: str) -> npt.NDArray[np.float32]:
        """The query's vector, shape (dimension,). Raises ModelError."""
        return self.of_all([query])[0]

    def of_all(self, queries: Sequence[str]) -> list[npt.NDArray[np.float32]]:
        """The vectors of all queries, in order. Raises ModelError."""
        with self._lock:
            found = {each: self._known[each] for each in queries if each in self._known}
        missing = [each for each in dict.fromkeys(queries) if each not in found]
        if missing:
            found |= dict(zip(missing, self._embedder.embed(missing), strict=True))
        with self._lock:
            for each in found:
                self._known[each] = found[each]
                self._known.move_to_end(each)
            while len(self._known) > self._remembered:
                self._known.popitem(last=False)
        return [found[each] for each in queries]
