"""Late interaction: question and candidate are read apart, and their pieces meet as vectors (after ColBERT, Khattab and
Zaharia, 2020, and kernel pooling, Xiong et al., 2017; the candidate's side is a table, as in model2vec).

    q_i   pieces of the question (WordPiece) and what ends it, read by two layers of attention over the question alone
    c_j   pieces of the candidate: rows of the table that the question's pieces begin with, too
    S_ij  = cos(q_i, c_j)
    w_i   = softmax over i of (rarity of the piece + m . q_i)

What a piece of the question finds, four signs of it:

    f_i   = (max_j S_ij,  1/8 log sum_j exp 8 S_ij,  does the piece itself occur,  max_j (S_ij + S_i+1,j+1) / 2)
    h     = sum_i w_i relu(A f_i + B q_i)

Beside h: the densest 5 and 15 pieces of the candidate by sum_i w_i relu(S_ij)^2; max_j cos(p_k, c_j) of four probes
p_k = P_k sum_i w_i q_i, which look for what the question does not say, such as a year; the cosine of both texts as a
whole (means weighted by rarity) and a projection of the product of these; ln of both lengths. A layer of 64 makes a
score of all.

No piece of a candidate looks at another, so the cosines are those of distinct pieces, however often they occur, which
is what makes it fast. A candidate that does not fit is read in windows, and its best one counts.
"""

from __future__ import annotations

MODELS = {
    "late-interaction": {
        "kind": "static",
        "summary": "pieces of question and candidate that meet as vectors, exported to run in numpy",
        "source": "comes as fast",
    },
}
