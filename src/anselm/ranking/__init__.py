"""Ranking: from a question and its candidates, or documents, to answers.

ranker        `Ranker`, which everything else goes through
once          `anselm.rank` and `anselm.ask`, with a model by name
given         questions, candidates and numbers as people give them, checked
first_pass    which passages of a long document are read
respelling    the question as a model reads it: respelled, and up to a length
scorers       a model to score with, by name or folder
torch_devices  the same on what torch computes on, such as a GPU
scored_lists  from scores to results, with what they are believed to say
answers       what a ranking is
contexts      candidates among each other: graphs, scores without and with them
context_pictures  the same as a picture or a page
figures       what a model saw in a list, to be looked at
pool_answers  asking a pool
passages      the sentences and entries of documents as candidates
explanations  which words a score comes from
best_sentences  which sentences of a long candidate answer
groups        similar answers together
duplicates    answers that come twice
answer_files  the answers to many questions in a file
bulk          many lists from a file to a file
resumption    what a bulk run that was stopped has left
speed         how fast a ranker is on this machine
"""
