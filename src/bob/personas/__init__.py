"""Personas: a corpus cut into parts, the passages that suit a question, and what a model is told."""
