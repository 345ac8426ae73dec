"""The health of what is known: rules, findings, scores and fixes (SPEC M1)."""
