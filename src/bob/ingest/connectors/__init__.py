"""Reads what other programs export: bookmarks, marked passages, annotations."""
