"""Measures: metrics and loaders of public sets. Pure functions over files and rankings."""
