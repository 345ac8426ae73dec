"""What a language model is given: the active project as truth, other work as inspiration (SPEC H)."""
