"""Readers for what other trackers export."""
