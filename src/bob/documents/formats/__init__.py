"""A parser a format: a file becomes sections with locators (SPEC B)."""
