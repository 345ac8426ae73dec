"""HTML: pages, and the markup inside other formats."""
