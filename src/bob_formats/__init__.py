"""Formats that Bob reads through its own entry points, as any other package could: recipes, bookmarks of
browsers, highlights of readers, and annotations of PDFs.

It is installed with Bob, uses nothing of it but `bob.extensions`, and is named by nothing in it: the entry
points in pyproject.toml are all that connects the two.
"""
