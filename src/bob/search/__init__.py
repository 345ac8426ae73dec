"""Cuts sections into chunks, indexes their words and vectors, and finds them: by queries with filters, in one
order of several signals."""
