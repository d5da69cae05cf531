"""Metrics, significance and calibration: pure functions of labels and scores.

ties            the order of candidates with equal scores
measures        MAP, MRR, P@k, nDCG@k, ... of one ranked list
semeval_scorer  the numbers of the SemEval task 3 scorer
triggering      answering only where there is an answer
misjudgements   refused, though answerable; answered, though not
thresholds      from which probability on a question counts as answered
significance    is one system better than another?
logistic        a logistic regression of named numbers
evidence        what a probability and a verdict are made of
calibration     from scores to probabilities and the verdict on a list
reliability     how far probabilities hold
trust           how far the probabilities of a model hold on a data set
"""

# Here rather than in `measures`, so that the command line can show it without loading numpy.
DEFAULT_METRICS = ("map", "mrr", "p@1", "p@5", "ndcg@10", "recall@5")
