"""One file per model family; a literal MODELS table in each says what it offers."""
