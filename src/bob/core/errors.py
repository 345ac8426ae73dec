"""Every error that Bob raises on purpose, in one tree.

    BobError
    ├── UsageError            the request itself is wrong: what to change is in the message
    │   ├── SettingsError     a key or value in a settings file, the environment or a flag
    │   ├── RequestError      a field of a request over HTTP
    │   ├── NotFoundError     what a request names does not exist; the message names what does
    │   └── MissingExtraError an optional part is not installed: the message names the pip command
    ├── UnreadableError       one file cannot be read; the run goes on without it
    ├── ModelError            the embedding model cannot be loaded or disagrees with the index
    ├── LanguageModelError    a language model did not answer, or not to the end
    │   └── UpstreamError     a request that was handed on was refused, or its answer is not whole
    ├── MemoryServiceError    the organization's memory did not do what it was asked; nothing else is harmed
    ├── RefusedError          who asks is not known, or may not do that
    └── StoreError            the database cannot be opened, is locked, or is of another version

Errors are translated once, at the door: an exit code on the command line, a problem document over HTTP.
What is expected (nothing found, no hits) is a value and not an error.
"""


class BobError(Exception):
    """The base of all errors that a person can do something about."""


class UsageError(BobError):
    """The request is wrong; the message says what is allowed."""


class SettingsError(UsageError):
    """A setting is unknown or has a bad value; the message names key, file and what is allowed."""


class RequestError(UsageError):
    """A request has a field that cannot be served; `field` is its name."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(reason)
        self.field = field


class NotFoundError(UsageError):
    """A request names what does not exist."""


class MissingExtraError(UsageError):
    """An optional dependency is missing; the message names the command that installs it."""

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(f"{feature} requires an optional part: pip install 'boring-organizer-bot[{extra}]'")


class UnreadableError(BobError):
    """A file cannot be read, for a reason that its owner understands.

    `code` is a stable word for programs (such as "encrypted"); the message is for people.
    """

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason

    def __reduce__(self) -> tuple[type["UnreadableError"], tuple[str, str]]:
        # Without it an error that crosses a process border could not be built again from its one message.
        return type(self), (self.code, self.reason)


class ModelError(BobError):
    """The embedding model cannot be loaded, or its vectors are not those of the index."""


class LanguageModelError(BobError):
    """A language model did not answer; the message names provider, model and what to do, and never a key."""


class UpstreamError(LanguageModelError):
    """A server of a language model refused a request that was handed on to it, or broke off.

    `status` is the HTTP status for whoever asked; `kind`, `field` and `code` are the server's own words for
    the error (its `type`, `param` and `code`), and `wait` the seconds after which it wants to be asked again.
    """

    def __init__(
        self,
        status: int,
        message: str,
        *,
        kind: str = "upstream_error",
        field: str | None = None,
        code: str | None = None,
        wait: float | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.kind = kind
        self.field = field
        self.code = code
        self.wait = wait


class StoreError(BobError):
    """The database cannot be used: locked, damaged, full, or made by a newer Bob."""


class MemoryServiceError(BobError):
    """The semantic memory of an organization failed; the message may be shown, and holds no detail of it."""


class RefusedError(BobError):
    """The request is not allowed. `status` is 401 when it is not known who asks (the message is then always
    the same), 403 when that is known and not allowed, 429 when it is too much at once; then `wait` is the
    seconds after which to come again."""

    def __init__(self, status: int, message: str, *, wait: float | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.wait = wait
