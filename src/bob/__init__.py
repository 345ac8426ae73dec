"""Bob: one local-first memory for the assistants that a person or a team works with.

from bob import Bob

with Bob() as bob:
    bob.index("~/notes")
    print(bob.ask("When do we rotate the backup keys?").text)
"""

import os
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bob.core.document import Block, ParsedDocument, Section
    from bob.core.errors import (
        BobError,
        LanguageModelError,
        NotFoundError,
        StoreError,
        UnreadableError,
        UsageError,
    )
    from bob.core.locator import LineLocator
    from bob.core.search import Filters
    from bob.python import Bob

__all__ = [
    "Block",
    "Bob",
    "BobError",
    "Filters",
    "LanguageModelError",
    "LineLocator",
    "NotFoundError",
    "ParsedDocument",
    "Section",
    "StoreError",
    "UnreadableError",
    "UsageError",
]

_MODULES = {"Bob": "bob.python", "Filters": "bob.core.search", "LineLocator": "bob.core.locator"}
_MODULES |= dict.fromkeys(("Block", "ParsedDocument", "Section"), "bob.core.document")

_SWITCH = "ORT_DISABLE_TELEMETRY"

if "onnxruntime" in sys.modules and not os.environ.get(_SWITCH):
    import warnings

    warnings.warn(
        "onnxruntime was imported before bob, so its telemetry has started: it writes a device id and asks "
        f"its maker's server. Import bob first, or set {_SWITCH}=1 before the program starts.",
        RuntimeWarning,
        stacklevel=2,
    )

# ONNX Runtime starts its uploader while it is imported, and looks at this variable then and never again.
# Every process of Bob imports this package first, and what such a process starts inherits the variable.
os.environ[_SWITCH] = "1"


def __getattr__(name: str) -> Any:
    # Every command imports this package first, and none needs all of these.
    if name in __all__:
        from importlib import import_module

        return getattr(import_module(_MODULES.get(name, "bob.core.errors")), name)
    raise AttributeError(f"module 'bob' has no attribute {name!r}")
