"""Anselm picks the right answers to a question out of candidates."""

__version__ = "0.1.0"
