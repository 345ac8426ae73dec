"""Makes answers of found chunks: quotable units, which of them answer, and what they are worth."""
