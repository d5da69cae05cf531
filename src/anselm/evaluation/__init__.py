"""Metrics, significance and calibration: pure functions of labels and scores.

ties          the order of candidates with equal scores
metrics       MAP, MRR, P@k, nDCG@k, ... of one ranked list
semeval       the numbers of the SemEval task 3 scorer
triggering    answering only where there is an answer
significance  is one system better than another?
calibration   from a score to a probability, and how far to trust it
"""
