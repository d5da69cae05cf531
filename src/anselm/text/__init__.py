"""From documents to sentences and words, with character offsets."""
