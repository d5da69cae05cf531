"""Entries in documentation: questions and titles, with the text that answers them."""
