"""The general ranker: a cross-encoder that reads each pair, blended with how similar question and candidate are.

    score = a r + b s

r is the cross-encoder's score, s the cosine of question and candidate as an untouched encoder sees them, each read by
itself. A cross-encoder that was fine-tuned on questions about documents is best at those, and forgets what its encoder
knew about everything else: how people ask when they do not know the words of the answer. A candidate that does not fit
is read in windows; r and s are those of its best one. The windows of s are smaller (`compared_window`, for texts of
more than `compared_whole` tokens): one vector of several hundred words is near to nothing in particular.

Entries of a FAQ are read as their question followed by their answer, and have weights of their own (`entries`), in
which the similarity counts more: they are about different things, and the question that an entry is filed under is a
paraphrase of what is asked, which similarity is made for. Both pairs of weights are fitted on lists that the
cross-encoder was not trained on (tools/default_model/blending.py).
"""

from __future__ import annotations

MODELS = {
    "general": {
        "kind": "transformer",
        "summary": "a cross-encoder of English blended with similarity, exported to run on a CPU",
        "source": "comes as default and accurate",
    },
}
