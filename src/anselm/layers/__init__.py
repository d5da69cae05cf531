"""What two or more models share. Needs torch.

attention, blocks, positions   self-attention over words, the gated block around it, and where words stand
recurrent, convolution   readers of words, one after another or in windows
composition, context_attention, pair_attention   from the states of words to vectors of texts
similarity      from two vectors to a score
transformer, funnel   layers over an encoder's states, and an encoder that reads candidates with few of its layers
graph, perspectives   graphs over the candidates of a list, and the encoder over them
tree_attention, tree_schedule   attention along trees, and in which order spans are computed
layout, stretches, repeated_rows   ragged lists and rows, without loops, and rows of a table that are taken often
"""
