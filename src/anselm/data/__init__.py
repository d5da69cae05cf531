"""Reading corpora and formats into lists of candidates."""
