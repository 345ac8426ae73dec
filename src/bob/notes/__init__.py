"""Care for what is known: writing notes, checking them, and finding what ails a memory (SPEC M)."""
