"""Who asks: users, keys, tokens and roles, and how many requests each may send (SPEC L2)."""
