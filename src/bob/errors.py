"""Every error that Bob raises on purpose, in one tree.

    BobError
    ├── UsageError            the request itself is wrong: what to change is in the message
    │   ├── SettingsError     a key or value in a settings file, the environment or a flag
    │   └── MissingExtraError an optional part is not installed: the message names the pip command
    ├── UnreadableError       one file cannot be read; the run goes on without it
    ├── ModelError            the embedding model cannot be loaded or disagrees with the index
    ├── LanguageModelError    a language model did not answer, or not to the end
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


class MissingExtraError(UsageError):
    """An optional dependency is missing; the message names the command that installs it."""

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(f"{feature} needs an optional part: pip install 'boring-organizer-bot[{extra}]'")


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


class StoreError(BobError):
    """The database cannot be used: locked, damaged, full, or made by a newer Bob."""
