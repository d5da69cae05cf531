"""How good a system is on a data set.

systems         what can be evaluated: models, rankers, scorers, and what was published
published_runs  runs and predictions of somebody else's system
outcomes        what came first for each question, and what was believed of its list
ranked          the lists that a system ranked, and what a run lacks of the data
report          all of it about one model and one data set
score_files     the scores of an evaluation as a file
robustness      the same lists with a distractor in each, and what it costs
distractors     a list with a sentence that only looks like an answer
alterations     a question about something else
statements      a question as a statement with a gap
asked_kinds     what kind of thing a question asks for
replacements    names, quantities and opposites that stand in for what was asked about
verb_forms      those that a statement needs
probes, probe_runs, probe_network   what the vectors of a model know of syntax
plots           the reliability diagram and the trade-off of the threshold, as a picture
"""
