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
    from bob.python import Bob

__all__ = ["Bob"]

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
    # Every command imports this package first, and none needs the Python face.
    if name == "Bob":
        from bob.python import Bob

        return Bob
    raise AttributeError(f"module 'bob' has no attribute {name!r}")
