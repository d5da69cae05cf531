"""Running exported models without torch: numpy, tokenizers, and ONNX Runtime or OpenVINO.

pairs         an exported cross-encoder as a scorer
words         an exported model over word vectors as a scorer
blended       the general ranker, which has two graphs
rows          pairs of texts -> padded rows of tokens
engines       an ONNX file -> a function from rows to signals
vector_store  vectors of texts that were encoded before
"""
