"""One file per paper or baseline; a literal MODELS table in each says what it offers."""
