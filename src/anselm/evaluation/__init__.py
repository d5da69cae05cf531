"""How good a system is on a data set.

systems         what can be evaluated: models, rankers, scorers, and what was published
published_runs  runs and predictions of somebody else's system
ranked          the lists that a system ranked, and what a run lacks of the data
report          all of it about one model and one data set
score_files     the scores of an evaluation as a file
plots           the reliability diagram and the trade-off of the threshold, as a picture
"""
