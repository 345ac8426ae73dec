"""The models that come with Bob: from texts to vectors."""
