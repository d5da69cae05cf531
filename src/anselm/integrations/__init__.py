"""Anselm inside other frameworks: one thin module for each, which imports its framework; none is imported from here."""
