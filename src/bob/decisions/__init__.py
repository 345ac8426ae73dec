"""Finds decisions in text that was written for people; reads and stores nothing (SPEC F)."""

EXTRACTOR_VERSION = 5
"""Grows with every change that lets the same text give other decisions: documents are then read again."""
