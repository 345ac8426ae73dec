"""Decides what of a conversation is worth remembering, and what it repeats or ends; stores none."""
