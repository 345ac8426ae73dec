"""Work items: their documents, the rules of indexing them, and what guards questions about them."""
