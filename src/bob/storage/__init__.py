"""The database: truth in SQL rows, and beside it a memory-mapped snapshot that can always be rebuilt."""
