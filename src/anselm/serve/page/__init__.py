"""What a person opens in a browser: a page to rank on, and one with the recorded results."""
