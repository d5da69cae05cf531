"""From data to a checkpoint, and from a recipe to a row of a table: where everything is wired together.

fitting      word statistics and probabilities; needs no torch
beliefs      what is fitted to scores: each candidate's probability, and the verdict on a list
training     a trained model on one's own data
schema       recipes as TOML
reproducing  a recipe, all seeds, as recorded results
results      the record of a row, and its tables
overlap      training questions that are also measured on
card         the model card of a checkpoint
"""
