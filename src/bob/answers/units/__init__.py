"""What of a chunk an answer may quote, each kind of file cut as it is read."""
