"""Reading corpora and formats into lists of candidates.

question        the unit: a question with its candidates
datasets        lists by the name of a corpus or the path of a file: the front door of this room
corpus          what a corpus is; corpora/ has one file for each
resources       files beside corpora of which a count is known
checks, inventory   whether counts are as published; what is here, listed and converted
objects         candidates as pipelines hold them
overlap         questions that training and test data share
elements, shelf   streaming XML, and records that wait on disk
bundled         the examples that come with the package
vector_files    word vectors by name or path
formats/        one file for each format
"""
