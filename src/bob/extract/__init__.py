"""Finds decisions in text that was written for people; reads and stores nothing (SPEC F)."""
