"""Ranks: parses queries, fuses two rankings into one, and folds near-duplicates. Pure functions."""
