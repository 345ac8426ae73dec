"""Cuts sections into chunks and turns them into vectors."""
