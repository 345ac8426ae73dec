"""The claims of a draft, checked against the sentences that they are about."""
