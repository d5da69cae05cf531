"""Metrics, significance and calibration: pure functions of labels and scores.

ties          the order of candidates with equal scores
metrics       MAP, MRR, P@k, nDCG@k, ... of one ranked list
semeval       the numbers of the SemEval task 3 scorer
triggering    answering only where there is an answer
thresholds    from which probability on a question counts as answered
significance  is one system better than another?
calibration   from a score to a probability, and how far to trust it
trust         how far the probabilities of a model hold on a data set
scoring       the scores of many lists, with something to look at meanwhile
ranked        the lists that a system ranked, and what a run lacks of the data
published     runs and predictions of somebody else's system
systems       what can be evaluated: models, rankers, scorers, and what was published
report        all of it about one model and one data set
saving        the scores of an evaluation as a file
plots         the reliability diagram and the trade-off of the threshold, as a picture
"""

# Here rather than in `metrics`, so that the command line can show it without loading numpy.
DEFAULT_METRICS = ("map", "mrr", "p@1", "p@5", "ndcg@10", "recall@5")
