"""What is known of a text besides its words: its entities, its meaning as a vector."""
