"""What is known of a text besides its words.

annotator          what every annotator is: texts in, one annotation for each
annotation_cache   annotations that were made before, in memory and, where asked for, on disk
annotation_file    those on disk, which several processes may write
entities           the names and numbers of sentences, and which of them sentences share
proper_names       names by rule: what is written with a capital
quantities         numbers, dates, money and percentages by rule
word_classes       words that are no names wherever they stand
installed          spaCy and stanza, where the user has them
tags               parts of speech and kinds of entities, word by word
closed_classes     English words whose part of speech is known, and endings
entity_cues        words by which persons, places and organisations are known
sentence_vectors   the meaning of texts, by the encoder that comes with the package
alignment          which pieces of a tokenizer are the words of a tree
penn_labels        the labels of the Penn Treebank, as numbers
syntax             the trees of texts: parsers, files of trees, and trees without syntax
trees              constituents, and the brackets that they are written in
treebank           the Penn Treebank sample, with its split
spans, chart       a tree as labelled spans, and the best tree over scored ones
penn_words         a sentence as the treebank's words
piece_rows         words as rows of an encoder's pieces
span_heads, span_parser   our own parser, without torch
installed_parsers  benepar, stanza and Stanford's parser, where the user has them
evalb              labelled F1
tree_pictures, attended_pictures   trees as SVG, and with what drew attention in them
"""
