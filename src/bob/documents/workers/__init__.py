"""Child processes that read files."""
