"""Lists of texts as arrays, in numpy: what training and the runtime share.

tokenizer  a pretrained encoder's tokenizer, and what it puts around a pair
lists      every text tokenized once; lists, candidates and windows as numbers of texts
limits     how much of a pair is read
token_gauge   how long texts are, in tokens
packing    batches of lists by a budget of tokens
"""
