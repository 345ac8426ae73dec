"""Frozen values that every stage shares; nothing here does I/O."""
